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
/// @param bytes the length of the file
/// @param controls control characters, which text does not have
/// @param firstControlRow the row of the first of these, as a spreadsheet counts them
/// @param sequences characters of three bytes, as Chinese ones have in UTF-8
/// @param broken bytes that are not part of a UTF-8 character
/// @param firstDamage the position of the first of these, from 1
/// @param firstDamageRow its row
/// @param big5 characters of two bytes that are common in Big5
/// @param gb characters of two bytes that are common in GB2312
record ByteStatistics(
    long bytes,
    long controls,
    long firstControlRow,
    long sequences,
    long broken,
    long firstDamage,
    long firstDamageRow,
    long big5,
    long gb) {
  private static final int BYTES_PER_CONTROL = 20;

  /// Whether it is text except for a few control characters. Of the bytes of other files, such as
  /// workbooks and pictures, about a tenth are such.
  boolean isTextWithControls() {
    return controls > 0 && controls * BYTES_PER_CONTROL < bytes;
  }

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
        count.place,
        count.controls,
        count.firstControlRow,
        count.sequences,
        count.broken,
        count.firstDamage,
        count.firstDamageRow,
        count.big5,
        count.gb);
  }

  private static final class Count {
    private final Rows rows = new Rows();
    private long place;
    private long controls;
    private long firstControlRow;
    private long sequences;
    private long broken;
    private long firstDamage;
    private long firstDamageRow;
    private long big5;
    private long gb;
    private int missing;
    private boolean wide;
    private int lead;

    void take(int next) {
      place++;
      rows.take(next, place);
      if (CsvText.isControl((char) next)) {
        controls++;
        firstControlRow = firstControlRow == 0 ? rows.row : firstControlRow;
      }
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
      if (firstDamage == 0) {
        firstDamage = place;
        firstDamageRow = rows.row;
      }
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

  /// Counts rows: lines, except for line ends inside quotation marks. In the encodings of these
  /// files, no character of several bytes has one of these bytes.
  private static final class Rows {
    private static final String BEFORE_QUOTE = "\n\r,;\t| ";
    private static final int BOM_LENGTH = 3;
    private static final int BOM_END = 0xbf;

    private long row = 1;
    private boolean quoted;
    private boolean closed;
    private boolean ended;
    private int before = '\n';

    /// A line end belongs to the row that it ends.
    ///
    /// @param place of the byte in the file, from 1
    void take(int next, long place) {
      if (ended && !(before == '\r' && next == '\n')) {
        row++;
        ended = false;
      }
      if (next == '"') {
        boolean opens = !quoted && (closed || BEFORE_QUOTE.indexOf(before) >= 0);
        closed = quoted;
        quoted = opens;
      } else {
        closed = false;
        ended |= !quoted && (next == '\n' || next == '\r');
      }
      before = place == BOM_LENGTH && next == BOM_END ? '\n' : next;
    }
  }
}
