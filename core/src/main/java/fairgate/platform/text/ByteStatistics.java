package fairgate.platform.text;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Byte statistics of a file that is not valid UTF-8, to distinguish damaged UTF-8, Big5 and GBK.
///
/// Both encodings have a range for common characters: Big5 those with a first byte from A4 to C6,
/// GB2312 those from B0 to D7 with a second byte from A1. Text in one of them falls less often into
/// the range of the other.
///
/// @param sequences characters of three bytes, as Chinese ones have in UTF-8
/// @param broken bytes that are not part of a UTF-8 character
/// @param firstDamage the position of the first of these, from 1
/// @param big5 characters of two bytes that are common in Big5
/// @param gb characters of two bytes that are common in GB2312
record ByteStatistics(long sequences, long broken, long firstDamage, long big5, long gb) {
  /// Whether most of it is UTF-8. Text in Big5 or GBK hardly ever has such sequences.
  boolean isDamagedUtf8() {
    return sequences > broken;
  }

  boolean isRatherBig5() {
    return big5 > gb;
  }

  /// Reads the file once.
  static ByteStatistics at(CsvText.Source file) throws IOException {
    Count count = new Count();
    try (InputStream in = new BufferedInputStream(file.open(), 64 * 1024)) {
      for (int next = in.read(); next >= 0; next = in.read()) {
        count.take(next);
      }
    }
    count.end();
    return new ByteStatistics(
        count.sequences, count.broken, count.firstDamage, count.big5, count.gb);
  }

  private static final class Count {
    private long place;
    private long sequences;
    private long broken;
    private long firstDamage;
    private long big5;
    private long gb;
    private int missing;
    private boolean wide;
    private int lead;

    void take(int next) {
      place++;
      utf8(next);
      pairs(next);
    }

    void end() {
      if (missing > 0) {
        damaged();
      }
    }

    private void utf8(int next) {
      if (missing > 0) {
        if (next >= 0x80 && next < 0xc0) {
          missing--;
          sequences += missing == 0 && wide ? 1 : 0;
          return;
        }
        missing = 0;
        damaged();
      }
      if (next >= 0xc2 && next < 0xf5) {
        missing = next < 0xe0 ? 1 : next < 0xf0 ? 2 : 3;
        wide = missing == 2;
      } else if (next >= 0x80) {
        damaged();
      }
    }

    private void damaged() {
      broken++;
      firstDamage = firstDamage == 0 ? place : firstDamage;
    }

    private void pairs(int next) {
      if (lead == 0) {
        lead = next > 0x80 && next < 0xff ? next : 0;
        return;
      }
      big5 += lead >= 0xa4 && lead <= 0xc6 ? 1 : 0;
      gb += lead >= 0xb0 && lead <= 0xd7 && next >= 0xa1 ? 1 : 0;
      lead = 0;
    }
  }
}
