//! The kinds of networks that are trained.

/// Runs an expression with `$A` as the architecture of the networks of a search.
#[macro_export]
macro_rules! for_architecture {
    ($search:expr, $A:ident => $body:expr) => {
        match $search {
            fusion_study::SearchKind::Tree => {
                type $A = fusion_network::TreeSizes;
                $body
            }
            fusion_study::SearchKind::Pvs => {
                type $A = fusion_network::views::ViewSizes;
                $body
            }
        }
    };
}
