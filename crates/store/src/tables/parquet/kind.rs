//! What a column of a Parquet file holds, in our words.

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::schema::types::{ColumnDescriptor, Type};

use crate::tables::role::Role;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, whatever its dictionary.
    Text,
    /// True or false.
    Truth,
    /// Whole numbers of 32 bits or fewer.
    Whole32(Sign),
    /// Whole numbers of 64 bits.
    Whole64(Sign),
    /// Floating point numbers of 16 bits.
    Half,
    /// Of 32 bits.
    Single,
    /// Of 64 bits.
    Double,
}

/// How a whole number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

impl Kind {
    /// The kind of a column; `None` where it is none of ours, such as a date or bytes.
    pub(super) fn of(column: &ColumnDescriptor) -> Option<Self> {
        let plain = column.logical_type_ref().is_none() && column.converted_type() == ConvertedType::NONE;
        let untyped = is_untyped(column);
        match column.physical_type() {
            Physical::BYTE_ARRAY => (is_text(column) || untyped).then_some(Self::Text),
            Physical::BOOLEAN => (plain || untyped).then_some(Self::Truth),
            Physical::INT32 => sign(column, plain || untyped).map(Self::Whole32),
            Physical::INT64 => sign(column, plain || untyped).map(Self::Whole64),
            Physical::FLOAT => (plain || untyped).then_some(Self::Single),
            Physical::DOUBLE => (plain || untyped).then_some(Self::Double),
            Physical::FIXED_LEN_BYTE_ARRAY => {
                let half = matches!(column.logical_type_ref(), Some(LogicalType::Float16));
                (half && column.type_length() == 2).then_some(Self::Half)
            }
            Physical::INT96 => None,
        }
    }

    /// Whether a column of this kind may hold a role: ids are texts or whole numbers, labels any number or truth value too.
    pub(super) fn may_hold(self, role: Role) -> bool {
        match self {
            Self::Text => true,
            Self::Whole32(_) | Self::Whole64(_) => !matches!(role, Role::Status | Role::RubricHash),
            Self::Truth | Self::Half | Self::Single | Self::Double => matches!(role, Role::Label | Role::Probability),
        }
    }
}

/// Whether some writer gave the column no type because all of it is null: empty cells may hold any role.
pub(super) fn is_untyped(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::Unknown))
}

fn is_text(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::String | LogicalType::Enum))
        || matches!(column.converted_type(), ConvertedType::UTF8 | ConvertedType::ENUM)
}

fn sign(column: &ColumnDescriptor, plain: bool) -> Option<Sign> {
    use ConvertedType::{INT_8, INT_16, INT_32, INT_64, UINT_8, UINT_16, UINT_32, UINT_64};
    match (column.logical_type_ref(), column.converted_type()) {
        _ if plain => Some(Sign::Signed),
        (Some(LogicalType::Integer(whole)), _) if whole.is_signed => Some(Sign::Signed),
        (Some(LogicalType::Integer(_)), _) => Some(Sign::Unsigned),
        (None, INT_8 | INT_16 | INT_32 | INT_64) => Some(Sign::Signed),
        (None, UINT_8 | UINT_16 | UINT_32 | UINT_64) => Some(Sign::Unsigned),
        _ => None,
    }
}

/// The type of a column as a message says it.
pub(super) fn words(column: &Type) -> String {
    if !column.is_primitive() {
        return "values inside of values (a list, a map or a struct)".to_owned();
    }
    let info = column.get_basic_info();
    let logical = info.logical_type_ref().map(|logical| {
        let text = format!("{logical:?}");
        let name: String = text.chars().take_while(char::is_ascii_alphanumeric).collect();
        name.to_lowercase()
    });
    let converted = match info.converted_type() {
        ConvertedType::NONE => None,
        converted => Some(converted.to_string().to_lowercase()),
    };
    let physical = match column.get_physical_type() {
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => "bytes".to_owned(),
        Physical::INT96 => "timestamp".to_owned(),
        other => other.to_string().to_lowercase(),
    };
    format!("the type {}", logical.or(converted).unwrap_or(physical))
}
