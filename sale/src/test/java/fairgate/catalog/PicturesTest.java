package fairgate.catalog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.catalog.Pictures.Upload;
import fairgate.sale.ledger.LedgerFixture;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PicturesTest {
  private static final String PNG = "\u0089PNG\r\n\u001a\n";
  private static final String PNG_END = "IEND\u00aeB`\u0082";
  private static final String JPEG = "\u00ff\u00d8\u00ff\u00e1\u0000\u0006thum\u00ff\u00da";
  private static final int SIZE = 100;

  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  /// Room for three pictures.
  @SuppressWarnings("NullAway.Init")
  private static Pictures pictures;

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
    pictures = new Pictures(books.database(), 3 * SIZE);
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @BeforeEach
  void empty() {
    int _ = books.database().update("DELETE FROM pictures");
  }

  private static Upload store(String text) {
    return pictures.store(text.getBytes(ISO_8859_1), "ann");
  }

  private static String sized(String head, String more) {
    String start = head + more;
    return start + ".".repeat(SIZE - start.length() - PNG_END.length()) + PNG_END;
  }

  private static long stored() {
    return books.database().rows("SELECT count(*) FROM pictures").getFirst().getLong(0);
  }

  @Test
  void theTypeFollowsFromTheFirstBytes() {
    Map.of(
            PNG + "x" + PNG_END,
            "image/png",
            JPEG + "scan\u00ff\u00d9",
            "image/jpeg",
            "GIF87a<svg>;",
            "image/gif",
            "RIFF\u0008\u0000\u0000\u0000WEBPVP8 ",
            "image/webp")
        .forEach(
            (file, type) ->
                assertThat(store(file))
                    .isInstanceOfSatisfying(
                        Upload.Stored.class,
                        it -> {
                          assertThat(it.type()).isEqualTo(type);
                          assertThat(it.path()).matches("/pictures/[0-9a-f]{64}");
                        }));
  }

  @Test
  void whatIsNoPictureIsNotStored() {
    for (String file :
        List.of(
            "",
            "GIF",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "<!doctype html><img src=GIF89a>",
            " GIF89a",
            "\u0089PNG\n",
            "RIFF....WAVEfmt ",
            "%PDF-1.7")) {
      assertThat(store(file)).as(file).isInstanceOf(Upload.NotAPicture.class);
    }
    assertThat(stored()).isZero();
  }

  @Test
  void aFileThatWasCutOffIsNotStored() {
    String thumbnail = "\u00ff\u00d8\u00ff\u00e1\u0000\nthumb\u00ff\u00d9.\u00ff\u00da";
    for (String file :
        List.of(
            PNG,
            PNG + "IEND",
            "\u00ff\u00d8\u00ff",
            JPEG + "scan",
            JPEG + "scan\u00ff",
            thumbnail + "scan",
            "GIF89a<svg>",
            "RIFF\u0009\u0000\u0000\u0000WEBPVP8 ")) {
      assertThat(store(file)).as(file).isInstanceOf(Upload.Incomplete.class);
    }
    assertThat(stored()).isZero();
  }

  @Test
  void dataBehindThePictureIsLeftAlone() {
    for (String file :
        List.of(
            PNG + PNG_END + "program",
            JPEG + "scan\u00ff\u00d9telephone",
            "\u00ff\u00d8\u00ff" + JPEG.substring(2) + "scan\u00ff\u00d9",
            "RIFF\u0008\u0000\u0000\u0000WEBPVP8 more")) {
      assertThat(store(file)).as(file).isInstanceOf(Upload.Stored.class);
    }
  }

  @Test
  void aPictureIsStoredOnce() {
    Upload first = store(sized(PNG, "one"));
    int _ = books.database().update("UPDATE pictures SET uploaded_at = now() - interval '1 day'");
    assertThat(store(sized(PNG, "one"))).isEqualTo(first);
    assertThat(store(sized(PNG, "two"))).isNotEqualTo(first);
    assertThat(
            books
                .database()
                .rows("SELECT count(*) FROM pictures WHERE uploaded_at > now() - interval '1 hour'")
                .getFirst()
                .getLong(0))
        .isEqualTo(2);
  }

  @Test
  void uploadsAtTheSameTimeDoNotExceedTheTotal() {
    List<Upload> uploads =
        IntStream.range(0, 8)
            .parallel()
            .mapToObj(i -> store(sized(PNG, Integer.toString(i))))
            .toList();
    assertThat(uploads).filteredOn(Upload.Stored.class::isInstance).hasSize(3);
    assertThat(uploads).filteredOn(Upload.Full.class::isInstance).hasSize(5);
    assertThat(stored()).isEqualTo(3);
    int known =
        uploads.indexOf(
            uploads.stream().filter(Upload.Stored.class::isInstance).findFirst().orElseThrow());
    assertThat(store(sized(PNG, Integer.toString(known)))).isEqualTo(uploads.get(known));
  }
}
