//! Lists of blocks, and what clients write in their place: one block without its list, or lists in a list.
//!
//! Google's API and client take a lone part; the others refuse what is no list of blocks. Read as what was meant,
//! the calls in it are paired and its texts are counted, and the repair writes the list. `octavo.recipes` numbers
//! blocks by the same walk.

use super::MessageFlags;
use crate::node::{Node, NodeKind};

/// Visits each block of `value`, whatever lists it stands in; the flags of a message whose content it is.
///
/// A reading ends at a bounded depth, and so does this.
pub(super) fn each<N: Node>(value: &N, visit: &mut dyn FnMut(&N)) -> MessageFlags {
    let mut empty = true;
    let odd = walk(value, &mut |block| {
        empty = false;
        visit(block);
    });
    MessageFlags::default().when(empty, MessageFlags::NO_CONTENT).when(odd, MessageFlags::MALFORMED)
}

/// Whether it is anything else than one list of blocks.
fn walk<N: Node>(value: &N, visit: &mut dyn FnMut(&N)) -> bool {
    if value.kind() != NodeKind::List {
        visit(value);
        return true;
    }
    let mut nested = false;
    value.items(&mut |item| {
        if item.kind() == NodeKind::List {
            nested = true;
            walk(&item, visit);
        } else {
            visit(&item);
        }
    });
    nested
}
