//! Enums whose variants are words in JSON.

/// Declares an enum without fields whose variants are kebab-case words in JSON, ordered as they are listed.
macro_rules! word_enum {
    ($(#[$attribute:meta])* $visibility:vis enum $name:ident { $($variants:tt)* }) => {
        $(#[$attribute])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        $visibility enum $name { $($variants)* }
    };
}
