//! The index sets of the paper, for observers.

use super::state::{Bound, Side, Slip, State};
use crate::observer::{Set, Snapshot};
use stiction_contact::Place;

impl State<'_> {
    /// The index sets [B94, §4.2, §5.3], with rows in addition to contacts, and the forces.
    pub(super) fn snapshot(&self) -> Snapshot {
        let contacts = |name, side| {
            Set::of_contacts(name, self.side.len(), |contact| self.side[contact] == side)
        };
        let friction_set = |name, slip| {
            Set::of_contacts(name, self.slip.len(), |contact| {
                let rubs = self.rows.contacts[contact].tangents > 0;
                rubs && self.side[contact] == Side::Clamped && self.slip[contact] == slip
            })
        };
        let with_rows = |mut set: Set, places: Vec<Place>| {
            set.members.extend(Set::new(set.name, places.into_iter()).members);
            set
        };
        let bounded = |fits: fn(Bound) -> bool| {
            let rows = (0..self.bound.len()).filter(move |&k| fits(self.bound[k]));
            rows.map(Place::Bounded).collect::<Vec<_>>()
        };
        let joints = (0..self.rows.bounded - self.rows.bilateral).map(Place::Bilateral);
        let held = joints.chain(bounded(|bound| bound == Bound::Clamped)).collect();
        let at_bound = bounded(|bound| matches!(bound, Bound::Lower | Bound::Upper));
        Snapshot {
            sets: vec![
                with_rows(contacts("C", Side::Clamped), held),
                with_rows(contacts("NC", Side::Separating), at_bound),
                friction_set("C_F", Slip::Sticking),
                friction_set("NC_F", Slip::Slipping),
                friction_set("undecided_F", Slip::Undecided),
                with_rows(
                    contacts("undecided", Side::Undecided),
                    bounded(|bound| bound == Bound::Undecided),
                ),
            ],
            forces: self.rows.physical(&self.force),
        }
    }
}
