//! Limits of score intervals.

/// Returns the point between `inside`, where `accepts` holds, and `outside` at which `accepts`
/// stops holding. Returns `outside` itself if `accepts` holds there too.
///
/// Bisects down to neighbouring floating-point numbers: score statistics are monotone but too flat
/// near the bounds of the parameter for Newton's method.
pub(crate) fn limit(inside: f64, outside: f64, accepts: impl Fn(f64) -> bool) -> f64 {
    if accepts(outside) {
        return outside;
    }
    let (mut inside, mut outside) = (inside, outside);
    // 200 halvings exhaust the precision of f64 for any start.
    for _ in 0..200 {
        let middle = f64::midpoint(inside, outside);
        if middle == inside || middle == outside {
            break;
        }
        if accepts(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}
