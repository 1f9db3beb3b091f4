package fairgate.gate.risk;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/// The binary form of [Features].
///
/// Layout: the schema's version as a varint; one bit per feature, little-endian, set when the value
/// is not the default; then the values of these features in order. A boolean has no value of its
/// own. A long is a zigzag varint, a double its 8 bytes, a text one byte of length and its ASCII.
final class FeatureCodec {
  private FeatureCodec() {}

  static byte[] encode(Features features) {
    FeatureSchema schema = features.schema();
    ByteArrayOutputStream out = new ByteArrayOutputStream(48);
    writeVarint(out, schema.version());
    byte[] present = new byte[(schema.size() + 7) / 8];
    for (Feature feature : schema.features()) {
      if (!features.isDefault(feature)) {
        present[feature.index() / 8] |= (byte) (1 << (feature.index() % 8));
      }
    }
    out.writeBytes(present);
    for (Feature feature : schema.features()) {
      if (!features.isDefault(feature)) {
        writeValue(out, features, feature);
      }
    }
    return out.toByteArray();
  }

  private static void writeValue(ByteArrayOutputStream out, Features features, Feature feature) {
    switch (feature.type()) {
      case LONG -> {
        long value = features.bits(feature.index());
        writeVarint(out, (value << 1) ^ (value >> 63));
      }
      case BOOLEAN -> {}
      case DOUBLE ->
          out.writeBytes(
              ByteBuffer.allocate(Double.BYTES).putLong(features.bits(feature.index())).array());
      case STRING -> {
        byte[] ascii = features.text(feature).getBytes(StandardCharsets.US_ASCII);
        out.write(ascii.length);
        out.writeBytes(ascii);
      }
    }
  }

  /// Features of the latest schema; those that a later version than the recorded one has added have
  /// their defaults.
  static Features decode(byte[] encoded) {
    ByteBuffer in = ByteBuffer.wrap(encoded);
    try {
      long version = readVarint(in);
      FeatureSchema schema =
          FeatureSchema.version(version > Integer.MAX_VALUE ? 0 : (int) version)
              .orElseThrow(() -> new IllegalArgumentException("unknown schema " + version));
      byte[] present = new byte[(schema.size() + 7) / 8];
      in.get(present);
      BitSet set = BitSet.valueOf(present);
      Features.Builder features = Features.builder();
      for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
        if (i >= schema.size()) {
          throw new IllegalArgumentException("a bit without a feature");
        }
        readValue(in, schema.features().get(i), features);
      }
      if (in.hasRemaining()) {
        throw new IllegalArgumentException("bytes after the last feature");
      }
      return features.build();
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("features end too early", e);
    }
  }

  private static void readValue(ByteBuffer in, Feature feature, Features.Builder features) {
    switch (feature.type()) {
      case LONG -> {
        long zigzag = readVarint(in);
        features.bits(feature.index(), (zigzag >>> 1) ^ -(zigzag & 1));
      }
      case BOOLEAN -> features.bits(feature.index(), 1);
      case DOUBLE -> features.bits(feature.index(), in.getLong());
      case STRING -> {
        byte[] ascii = new byte[in.get() & 0x7f];
        in.get(ascii);
        features.set(feature, new String(ascii, StandardCharsets.US_ASCII));
      }
    }
  }

  private static void writeVarint(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  private static long readVarint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }
}
