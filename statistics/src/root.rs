//! Limits of score intervals.

/// The point between `inside`, where `accepts` holds, and `outside` at which it stops
/// to hold; `outside` itself if it holds there too.
///
/// Bisection down to neighbouring floating-point numbers: score statistics are
/// monotone but too flat near the bounds of the parameter for Newton's method.
pub(crate) fn limit(inside: f64, outside: f64, accepts: impl Fn(f64) -> bool) -> f64 {
    if accepts(outside) {
        return outside;
    }
    let (mut inside, mut outside) = (inside, outside);
    // 200 halvings exhaust the precision of f64 whatever the start.
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
