package fairgate.gate.risk;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The values of all features of one request. Immutable. A feature that nobody has set has the
/// default of its type.
///
/// The binary form has the schema's version, one bit per feature for "not the default", and the
/// values of those features. Decoding gives equal values, bit by bit.
public final class Features {
  private static final @Nullable String[] NO_TEXTS = {};
  private static final Feature BEHAVIOR_PRESENT =
      FeatureSchema.latest().feature("behavior_present");

  private final FeatureSchema schema;

  /// Numbers, booleans as 0 and 1, doubles as their bits; 0 for texts.
  private final long[] bits;

  private final @Nullable String[] texts;

  private Features(FeatureSchema schema, long[] bits, @Nullable String[] texts) {
    this.schema = schema;
    this.bits = bits;
    this.texts = texts;
  }

  /// A builder for the latest schema, not thread-safe.
  public static Builder builder() {
    return new Builder(FeatureSchema.latest());
  }

  /// A builder for this schema, not thread-safe.
  public static Builder builder(FeatureSchema schema) {
    return new Builder(schema);
  }

  public FeatureSchema schema() {
    return schema;
  }

  /// A builder with these values, not thread-safe.
  Builder toBuilder() {
    return new Builder(schema, bits.clone(), texts.clone());
  }

  /// Whether the page of the visitor has sent numbers of its behavior.
  public boolean knowsBehavior() {
    return schema.size() > BEHAVIOR_PRESENT.index() && flag(BEHAVIOR_PRESENT);
  }

  public long number(Feature feature) {
    check(feature, Feature.Type.LONG);
    return bits[feature.index()];
  }

  public boolean flag(Feature feature) {
    check(feature, Feature.Type.BOOLEAN);
    return bits[feature.index()] != 0;
  }

  public String text(Feature feature) {
    check(feature, Feature.Type.STRING);
    return textAt(feature.index());
  }

  /// The value as Long, Boolean, Double or String.
  public Object value(Feature feature) {
    return switch (feature.type()) {
      case LONG -> bits[feature.index()];
      case BOOLEAN -> bits[feature.index()] != 0;
      case DOUBLE -> Double.longBitsToDouble(bits[feature.index()]);
      case STRING -> textAt(feature.index());
    };
  }

  /// The value as a number for the model: booleans as 0 and 1. Throws IllegalArgumentException for
  /// texts.
  public double asDouble(Feature feature) {
    return switch (feature.type()) {
      case LONG, BOOLEAN -> bits[feature.index()];
      case DOUBLE -> Double.longBitsToDouble(bits[feature.index()]);
      case STRING -> throw new IllegalArgumentException(feature.name() + " is a text");
    };
  }

  private String textAt(int index) {
    String text = texts.length == 0 ? "" : texts[index];
    return text == null ? "" : text;
  }

  private void check(Feature feature, Feature.Type type) {
    if (feature.type() != type) {
      throw new IllegalArgumentException(feature.name() + " is a " + feature.type());
    }
  }

  /// The compact binary form.
  public byte[] encode() {
    return FeatureCodec.encode(this);
  }

  /// Decodes the binary form into features of the latest schema. Throws IllegalArgumentException
  /// when it is damaged or its schema is unknown.
  public static Features decode(byte[] encoded) {
    return FeatureCodec.decode(encoded);
  }

  long bits(int index) {
    return bits[index];
  }

  boolean isDefault(Feature feature) {
    return feature.type() == Feature.Type.STRING
        ? textAt(feature.index()).isEmpty()
        : bits[feature.index()] == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Features that
        && schema == that.schema
        && Arrays.equals(bits, that.bits)
        && schema.features().stream()
            .allMatch(f -> textAt(f.index()).equals(that.textAt(f.index())));
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bits);
  }

  /// The names and values that are not defaults.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (Feature feature : schema.features()) {
      if (!isDefault(feature)) {
        text.append(text.length() == 1 ? "" : ", ");
        text.append(feature.name()).append('=').append(value(feature));
      }
    }
    return text.append('}').toString();
  }

  /// Collects values. A later value of a feature replaces an earlier one.
  public static final class Builder {
    static final int LONGEST_TEXT = 64;

    private final FeatureSchema schema;
    private final long[] bits;
    private @Nullable String[] texts;

    private Builder(FeatureSchema schema) {
      this(schema, new long[schema.size()], NO_TEXTS);
    }

    private Builder(FeatureSchema schema, long[] bits, @Nullable String[] texts) {
      this.schema = schema;
      this.bits = bits;
      this.texts = texts;
    }

    public FeatureSchema schema() {
      return schema;
    }

    @CanIgnoreReturnValue
    public Builder set(Feature feature, long value) {
      check(feature, Feature.Type.LONG);
      bits[feature.index()] = value;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder set(Feature feature, boolean value) {
      check(feature, Feature.Type.BOOLEAN);
      bits[feature.index()] = value ? 1 : 0;
      return this;
    }

    /// Values that are not finite become 0, and the negative zero becomes 0.
    @CanIgnoreReturnValue
    public Builder set(Feature feature, double value) {
      check(feature, Feature.Type.DOUBLE);
      bits[feature.index()] = Double.isFinite(value) ? Double.doubleToLongBits(value + 0.0) : 0;
      return this;
    }

    /// Keeps at most 64 characters; characters outside printable ASCII become `?`.
    @CanIgnoreReturnValue
    public Builder set(Feature feature, String value) {
      check(feature, Feature.Type.STRING);
      if (texts.length == 0) {
        texts = new @Nullable String[bits.length];
      }
      texts[feature.index()] = clean(value);
      return this;
    }

    private static String clean(String value) {
      for (int i = 0; i < value.length(); i++) {
        if (value.charAt(i) < ' ' || value.charAt(i) > '~' || i >= LONGEST_TEXT) {
          byte[] ascii =
              value
                  .substring(0, Math.min(value.length(), LONGEST_TEXT))
                  .replaceAll("[^ -~]", "?")
                  .getBytes(StandardCharsets.US_ASCII);
          return new String(ascii, StandardCharsets.US_ASCII);
        }
      }
      return value;
    }

    private void check(Feature feature, Feature.Type type) {
      if (feature.type() != type || !schema.features().get(feature.index()).equals(feature)) {
        throw new IllegalArgumentException(
            feature.name() + " is no " + type + " of schema " + schema.version());
      }
    }

    void bits(int index, long value) {
      bits[index] = value;
    }

    /// Sets the default of a feature that is no text.
    void clear(Feature feature) {
      bits[feature.index()] = 0;
    }

    /// The values so far; the builder can go on.
    public Features build() {
      return new Features(schema, bits.clone(), texts.clone());
    }
  }
}
