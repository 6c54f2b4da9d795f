//! A frame as its difference from the frame before.
//!
//! Every word is replaced by its exclusive or with the same word of the frame before, so
//! that what stays becomes zero. Contacts come and go: each is held against the contact of
//! the same key. Keys themselves are held against the key expected: the one that followed,
//! in the frame before, the last contact that both frames have. A contact more or less thus
//! costs its own words and no others. Events, waypoints and counts of answers are of one frame
//! only and stay as they are.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// Words of the parts of a frame (`docs/frames.md`).
const HEAD: usize = 22;
const BODY: usize = 13;
const IMPULSE: usize = 6;
const JOINT: usize = 9;
const CONTACT: usize = 24;
const EVENT: usize = 6;
const WAYPOINT: usize = 21;
const ANSWER: usize = 4;

/// The word of the head that is the number of the frame.
pub const INDEX: usize = 0;

/// Words of a contact that are its key.
const KEY: usize = 2;

type Key = [u64; KEY];

/// What a frame holds, from its head.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Layout {
    bodies: usize,
    joints: usize,
    contacts: usize,
}

impl Layout {
    /// `None` if the words are not as many as the head says.
    fn of(words: &[u64]) -> Option<Self> {
        let pair = |k: usize| {
            words.get(k).map(|word| [(word & 0xffff_ffff) as usize, (word >> 32) as usize])
        };
        let ([bodies, joints], [contacts, events]) = (pair(3)?, pair(4)?);
        let [waypoints, answers] = pair(14)?;
        let layout = Layout { bodies, joints, contacts };
        let once = events * EVENT + waypoints * WAYPOINT + answers * ANSWER;
        let whole = layout.fixed() + contacts * CONTACT + once;
        (words.len() == whole).then_some(layout)
    }

    /// Words of head, bodies, impulses and joints.
    fn fixed(self) -> usize {
        HEAD + self.bodies * BODY + (self.bodies + 1) * IMPULSE + self.joints * JOINT
    }

    fn contact(self, i: usize) -> Range<usize> {
        let start = self.fixed() + i * CONTACT;
        start..start + CONTACT
    }
}

/// Direction of the conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    ToDifference,
    ToFrame,
}

/// Turns a frame into its difference to the one before; `None`, and nothing is done, if that
/// is of another scene.
pub fn encode(words: &mut [u64], before: &[u64]) -> Option<()> {
    let layout = Layout::of(words)?;
    turn(words, before, layout, Way::ToDifference)
}

/// The frame from its difference to the one before; `None` if it is none.
pub fn decode(mut words: Vec<u64>, before: &[u64]) -> Option<Vec<u64>> {
    // The head first: it says what follows.
    cross(words.get_mut(..HEAD)?, before.get(..HEAD)?);
    let layout = Layout::of(&words)?;
    cross(&mut words[..HEAD], &before[..HEAD]);
    turn(&mut words, before, layout, Way::ToFrame)?;
    Some(words)
}

fn turn(words: &mut [u64], before: &[u64], layout: Layout, way: Way) -> Option<()> {
    let old = Layout::of(before)?;
    if (old.bodies, old.joints) != (layout.bodies, layout.joints) {
        return None;
    }
    cross(&mut words[..layout.fixed()], &before[..layout.fixed()]);
    let mut matching = Matching { before, layout: old, next: 0, places: OnceCell::new() };
    for i in 0..layout.contacts {
        let contact = &mut words[layout.contact(i)];
        let expected = matching.expected();
        let given = [contact[0], contact[1]];
        cross(&mut contact[..KEY], &expected);
        let key = if way == Way::ToDifference { given } else { [contact[0], contact[1]] };
        if let Some(same) = matching.find(key, expected) {
            cross(&mut contact[KEY..], &before[old.contact(same)][KEY..]);
        }
    }
    Some(())
}

fn cross(words: &mut [u64], others: &[u64]) {
    words.iter_mut().zip(others).for_each(|(word, other)| *word ^= other);
}

/// Contacts of the frame before, found by key.
struct Matching<'a> {
    before: &'a [u64],
    layout: Layout,
    /// The contact whose key is expected.
    next: usize,
    /// Where every key is; made when an expectation fails for the first time.
    places: OnceCell<HashMap<Key, usize>>,
}

impl Matching<'_> {
    fn key(&self, i: usize) -> Key {
        let start = self.layout.contact(i).start;
        [self.before[start], self.before[start + 1]]
    }

    /// The key expected; zeros after the last.
    fn expected(&self) -> Key {
        if self.next < self.layout.contacts { self.key(self.next) } else { Key::default() }
    }

    /// The contact of a key, if there was one; the one after it is expected next.
    fn find(&mut self, key: Key, expected: Key) -> Option<usize> {
        let found = if key == expected && self.next < self.layout.contacts {
            Some(self.next)
        } else {
            let all = || (0..self.layout.contacts).map(|i| (self.key(i), i)).collect();
            self.places.get_or_init(all).get(&key).copied()
        };
        self.next = found.map_or(self.next, |found| found + 1);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of one body with contacts of these keys, all numbers `value`.
    fn frame(keys: &[u64], value: u64) -> Vec<u64> {
        let mut words = vec![value; HEAD + BODY + 2 * IMPULSE];
        (words[3], words[4], words[14]) = (1, keys.len() as u64, 0);
        for key in keys {
            words.extend([0, *key]);
            words.extend([value ^ key; CONTACT - KEY]);
        }
        words
    }

    #[test]
    fn contacts_are_held_against_those_of_the_same_key() {
        let before = frame(&[3, 5, 8, 13], 7);
        // Each list with the number of words that are not zero: those of new contacts, and
        // a key after a contact that is gone.
        for (keys, left) in [
            (&[3, 5, 8, 13][..], 0),
            (&[3, 5, 6, 8, 13], 1 + 1 + CONTACT - KEY),
            (&[3, 8, 13], 1 + 1),
            (&[5, 3, 8, 13], 1 + 2 + 1),
            (&[], 1),
            (&[21], 1 + 1 + CONTACT - KEY),
        ] {
            let words = frame(keys, 7);
            let mut difference = words.clone();
            encode(&mut difference, &before).expect("the same scene");
            let kept = difference.iter().filter(|word| **word != 0).count();
            assert!(kept <= left, "{keys:?}: {kept} words, {left} will do");
            assert_eq!(decode(difference, &before), Some(words), "{keys:?}");
        }
    }

    #[test]
    fn what_is_no_difference_is_refused() {
        let before = frame(&[3, 5], 7);
        let mut difference = frame(&[3, 5], 8);
        encode(&mut difference, &before).expect("the same scene");
        for length in 0..difference.len() {
            assert_eq!(decode(difference[..length].to_vec(), &before), None, "{length} words");
        }
        let mut other = frame(&[], 7);
        other[3] = 2;
        other.extend([0; BODY + IMPULSE]);
        assert_eq!(encode(&mut other, &before), None, "of another scene");
    }
}
