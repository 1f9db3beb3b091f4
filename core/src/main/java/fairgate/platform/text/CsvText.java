package fairgate.platform.text;

import fairgate.platform.text.CsvFile.InvalidCsv;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A file as text: detects the encoding and opens it.
///
/// In this order: the byte order mark; UTF-16 if every other byte is zero; UTF-8 if the whole file
/// is valid (text in GBK practically never is); else Big5 or GB18030 (which includes GBK and
/// GB2312), whichever is valid for the whole file and gives more common characters. A file that is
/// UTF-8 except for a few bytes is damaged, and refused: in any other encoding it would be
/// nonsense. The detection reads the whole file, so that no later row is decoded wrongly.
///
/// @param bom length of the byte order mark
public record CsvText(Source file, Charset charset, int bom) {
  /// A file that is read several times, one time after another.
  @FunctionalInterface
  public interface Source {
    /// The file from its start.
    InputStream open() throws IOException;
  }

  private static final Charset GB18030 = Charset.forName("GB18030");
  private static final List<Charset> BIG5 =
      List.of(Charset.forName("Big5"), Charset.forName("x-windows-950"));
  private static final int PIECE = 64 * 1024;

  private record ByteOrderMark(List<Integer> bytes, Charset charset) {
    boolean begins(byte[] head) {
      if (head.length < bytes.size()) {
        return false;
      }
      for (int i = 0; i < bytes.size(); i++) {
        if ((head[i] & 0xff) != bytes.get(i)) {
          return false;
        }
      }
      return true;
    }
  }

  private static final List<ByteOrderMark> MARKS =
      List.of(
          new ByteOrderMark(List.of(0xef, 0xbb, 0xbf), StandardCharsets.UTF_8),
          new ByteOrderMark(List.of(0xff, 0xfe), StandardCharsets.UTF_16LE),
          new ByteOrderMark(List.of(0xfe, 0xff), StandardCharsets.UTF_16BE),
          // GB18030 has its own byte order mark.
          new ByteOrderMark(List.of(0x84, 0x31, 0x95, 0x33), GB18030));

  /// Finds the encoding out. Throws InvalidCsv when the file is no text.
  ///
  /// @param named the encoding to take instead; empty for none
  public static CsvText of(Source file, String named) throws IOException, InvalidCsv {
    byte[] head = head(file);
    ByteOrderMark mark = MARKS.stream().filter(each -> each.begins(head)).findFirst().orElse(null);
    int bom = mark == null ? 0 : mark.bytes().size();
    List<Charset> candidates =
        !named.isEmpty()
            ? List.of(Charset.forName(named))
            : mark != null ? List.of(mark.charset()) : unmarked(head);
    Optional<CsvText> right = firstRight(file, candidates, bom);
    if (right.isPresent()) {
      return right.get();
    }
    InvalidCsv noText = new InvalidCsv("csv_encoding").solvedBy("encoding");
    if (candidates.stream().anyMatch(charset -> charset.name().startsWith("UTF-16"))) {
      throw noText;
    }
    ByteStatistics look = ByteStatistics.at(file);
    if (look.isTextWithControls()) {
      throw new InvalidCsv("csv_control", look.firstControlRow());
    }
    if (!named.isEmpty() || !candidates.contains(StandardCharsets.UTF_8)) {
      throw noText;
    }
    if (look.isDamagedUtf8()) {
      throw new InvalidCsv("csv_damaged", look.firstDamageRow(), look.firstDamage());
    }
    return firstRight(file, chinese(look), bom).orElseThrow(() -> noText);
  }

  private static Optional<CsvText> firstRight(Source file, List<Charset> candidates, int bom)
      throws IOException {
    for (Charset charset : candidates) {
      CsvText text = new CsvText(file, charset, bom);
      if (text.isRight()) {
        return Optional.of(text);
      }
    }
    return Optional.empty();
  }

  private static List<Charset> chinese(ByteStatistics look) {
    List<Charset> all = new ArrayList<>(BIG5);
    all.add(look.isRatherBig5() ? all.size() : 0, GB18030);
    return all;
  }

  /// A reader of the text behind its byte order mark, which throws where a byte is wrong.
  Reader open() throws IOException {
    InputStream in = file.open();
    in.skipNBytes(bom);
    return new InputStreamReader(in, strict());
  }

  private static byte[] head(Source file) throws IOException {
    try (InputStream in = file.open()) {
      return in.readNBytes(1024);
    }
  }

  private static List<Charset> unmarked(byte[] head) {
    int even = 0;
    int odd = 0;
    for (int i = 0; i + 1 < head.length; i += 2) {
      even += head[i] == 0 ? 1 : 0;
      odd += head[i + 1] == 0 ? 1 : 0;
    }
    int pairs = head.length / 2;
    if (odd * 4 > pairs && even == 0) {
      return List.of(StandardCharsets.UTF_16LE);
    }
    if (even * 4 > pairs && odd == 0) {
      return List.of(StandardCharsets.UTF_16BE);
    }
    return List.of(StandardCharsets.UTF_8);
  }

  private CharsetDecoder strict() {
    return charset
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
  }

  /// Whether the whole file is text in this encoding, and not binary data.
  private boolean isRight() throws IOException {
    CharsetDecoder decoder = strict();
    ByteBuffer bytes = ByteBuffer.allocate(PIECE);
    CharBuffer chars = CharBuffer.allocate(PIECE);
    try (InputStream in = file.open()) {
      in.skipNBytes(bom);
      while (true) {
        int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
        boolean last = count < 0;
        bytes.limit(bytes.position() + Math.max(0, count)).position(0);
        var result = decoder.decode(bytes, chars, last);
        if (result.isError()) {
          return false;
        }
        if (hasControls(chars.flip())) {
          return false;
        }
        chars.clear();
        if (result.isOverflow()) {
          bytes.compact();
          continue;
        }
        bytes.compact();
        if (last) {
          return bytes.position() == 0;
        }
      }
    } catch (CharacterCodingException _) {
      return false;
    }
  }

  private static boolean hasControls(CharBuffer chars) {
    for (int i = 0; i < chars.length(); i++) {
      if (isControl(chars.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /// Whether a character does not occur in text.
  static boolean isControl(char c) {
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\u001a';
  }
}
