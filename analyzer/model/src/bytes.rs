//! Serializes structures of a trace file as base64 text, for JSON.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Base64(String);

impl Base64 {
    pub fn of(bytes: &[u8]) -> Base64 {
        Base64(STANDARD.encode(bytes))
    }

    /// The decoded bytes; `None` if the text is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.0).ok()
    }

    fn read<T: FromBytes>(&self) -> Option<T> {
        T::read_from_bytes(&self.bytes()?).ok()
    }
}

pub fn serialize<T: IntoBytes + Immutable, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    Base64::of(value.as_bytes()).serialize(to)
}

pub fn deserialize<'a, T: FromBytes, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
    Base64::deserialize(from)?.read().ok_or_else(|| D::Error::custom("not as many bytes as there should be"))
}

/// Serializes `Option<T>` as base64 text or null.
pub mod option {
    use super::{Base64, Deserialize, Deserializer, Error, FromBytes, Immutable, IntoBytes, Serialize, Serializer};

    pub fn serialize<T: IntoBytes + Immutable, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| Base64::of(value.as_bytes())).serialize(to)
    }

    pub fn deserialize<'a, T: FromBytes, D: Deserializer<'a>>(from: D) -> Result<Option<T>, D::Error> {
        let text = Option::<Base64>::deserialize(from)?;
        let read = |text: Base64| text.read().ok_or_else(|| D::Error::custom("not as many bytes as there should be"));
        text.map(read).transpose()
    }
}
