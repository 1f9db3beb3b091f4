package fairgate.gate.risk;

import java.util.Locale;

/// One named value that rules and the model can read. Obtained from a [FeatureSchema].
///
/// @param index the position in its schema, from 0
/// @param name lower-case letters, digits and `_`; the variable's name in rules
/// @param meaning one sentence with units
public record Feature(int index, String name, Type type, Privacy privacy, String meaning) {
  /// The type of a value. Its default stands for "not known".
  public enum Type {
    /// A count, an age or a time; 64 bits, default 0.
    LONG,
    /// Default false.
    BOOLEAN,
    /// 64 bits, finite, default 0.0.
    DOUBLE,
    /// The name of a bucket, such as a country code, never free text; at most 64 characters of
    /// printable ASCII, default empty.
    STRING;

    static Type named(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }

  /// The kind of personal data that a value reveals by itself.
  public enum Privacy {
    /// Nothing about a person: counts, times, server state.
    NONE,
    /// A property that many people share, such as a country or a kind of network.
    COARSE,
    /// The conduct of one person: earlier orders, the age of an account.
    HISTORY,
    /// How a visitor used the page, as numbers of its script. Not known of a visitor whose page
    /// sent none; see `behavior_present`.
    BEHAVIOR;

    static Privacy named(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
