//! Structures of a trace file in JSON: their bytes in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Bytes as text.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Base64(String);

impl Base64 {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Base64 {
        Base64(STANDARD.encode(bytes))
    }

    /// The bytes, if it is the text of some.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.0).ok()
    }

    fn read<T: FromBytes>(&self) -> Option<T> {
        T::read_from_bytes(&self.bytes()?).ok()
    }
}

/// For `#[serde(with)]`.
pub fn serialize<T: IntoBytes + Immutable, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    Base64::of(value.as_bytes()).serialize(to)
}

/// For `#[serde(with)]`.
pub fn deserialize<'a, T: FromBytes, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
    Base64::deserialize(from)?.read().ok_or_else(|| D::Error::custom("not as many bytes as there should be"))
}

/// The same of what may be absent.
pub mod option {
    use super::{Base64, Deserialize, Deserializer, Error, FromBytes, Immutable, IntoBytes, Serialize, Serializer};

    /// For `#[serde(with)]`.
    pub fn serialize<T: IntoBytes + Immutable, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| Base64::of(value.as_bytes())).serialize(to)
    }

    /// For `#[serde(with)]`.
    pub fn deserialize<'a, T: FromBytes, D: Deserializer<'a>>(from: D) -> Result<Option<T>, D::Error> {
        let text = Option::<Base64>::deserialize(from)?;
        let read = |text: Base64| text.read().ok_or_else(|| D::Error::custom("not as many bytes as there should be"));
        text.map(read).transpose()
    }
}
