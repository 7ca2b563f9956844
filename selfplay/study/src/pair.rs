//! Lists of exactly two values. Serde's own deserialiser for tuples and arrays from TOML stops
//! after the second value and ignores the rest without an error.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// Reads a list of two values.
pub(super) fn exactly<'de, D, T>(input: D) -> Result<(T, T), D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    input.deserialize_seq(Two(PhantomData))
}

/// Same as [`exactly`], for a key that may be left out.
pub(super) fn optional<'de, D, T>(input: D) -> Result<Option<[T; 2]>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    exactly(input).map(|(first, second)| Some([first, second]))
}

struct Two<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Two<T> {
    type Value = (T, T);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of two values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let wrong = |length| Error::invalid_length(length, &self);
        let first = list.next_element()?.ok_or_else(|| wrong(0))?;
        let second = list.next_element()?.ok_or_else(|| wrong(1))?;
        let mut length = 2;
        while list.next_element::<serde::de::IgnoredAny>()?.is_some() {
            length += 1;
        }
        if length == 2 { Ok((first, second)) } else { Err(wrong(length)) }
    }
}
