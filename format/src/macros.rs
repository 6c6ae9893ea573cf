//! What many types of all crates have: names of their variants, and a short `Debug`.

/// Declares an enum whose variants have names, by which they are shown. With `unknown`, it is also read from a name,
/// and the error for another text lists all names.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])* $vis:vis enum $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }
        $(unknown $unknown:ident: $one:literal, $all:literal)?
    ) => {
        $(#[$meta])*
        $vis enum $type { $($(#[$doc])* $variant,)+ }

        #[allow(dead_code, reason = "not every name is listed or looked up")]
        impl $type {
            /// All of them, in order.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns its name.
            #[must_use]
            $vis fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the one of this name.
            #[must_use]
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        $(
            #[doc = concat!("Error: no ", $one, " has this name.")]
            #[derive(Clone, Debug, PartialEq, Eq)]
            $vis struct $unknown(pub String);

            impl ::std::fmt::Display for $unknown {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    let names = $type::ALL.map($type::name).join(", ");
                    write!(f, concat!("unknown ", $one, " {:?}; known ", $all, ": {}"), self.0, names)
                }
            }

            impl ::std::error::Error for $unknown {}

            impl ::std::str::FromStr for $type {
                type Err = $unknown;

                fn from_str(name: &str) -> Result<Self, $unknown> {
                    Self::named(name).ok_or_else(|| $unknown(name.into()))
                }
            }
        )?
    };
}

/// Implements `Debug` for a type, with some of its fields.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_fields {
    ($type:ident$(<$life:lifetime>)?$(: $($field:ident),+)?) => {
        impl ::std::fmt::Debug for $type$(<$life>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($type));
                $($(shown.field(stringify!($field), &self.$field);)+)?
                shown.finish_non_exhaustive()
            }
        }
    };
}
