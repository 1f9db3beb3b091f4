package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.page.Dictionary;
import fairgate.platform.page.Wording;
import fairgate.platform.text.Language;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordingTest {
  @ParameterizedTest
  @CsvSource({
    "0, 1 sec, 1 秒, 1 秒",
    "61, 2 min, 2 分鐘, 2 分钟",
    "3600, 1 hr, 1 小時, 1 小时",
    "3805, 1 hr 4 min, 1 小時 4 分鐘, 1 小时 4 分钟",
    "7199, 2 hr, 2 小時, 2 小时",
    "172801, 2 days 1 hr, 2 天 1 小時, 2 天 1 小时"
  })
  void aTimeIsNotOverstatedByALargeUnit(long seconds, String en, String hant, String hans) {
    assertThat(span(Language.EN, seconds)).isEqualTo(en);
    assertThat(span(Language.ZH_HANT, seconds)).isEqualTo(hant);
    assertThat(span(Language.ZH_HANS, seconds)).isEqualTo(hans);
  }

  @ParameterizedTest
  @CsvSource({
    "3, open, 3 of 25 left",
    "0, sold_out, All 25 taken",
    "null, open, 25 in total",
  })
  void unitsThatAreUnknownAreNeitherLeftNorTaken(String left, String state, String stock) {
    Fields product =
        Fields.of("{\"status\":\"open\",\"total_stock\":25,\"remaining_stock\":" + left + "}");
    Wording wording = wording(Language.EN);
    assertThat(new SaleWording(wording).state(product)).isEqualTo(state);
    assertThat(new SaleWording(wording).stock(product)).isEqualTo(stock);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          3600 | 0  | More in 1 hr | More units go on sale: in 1 hr. Stay.
          3600 | 2  | More in 1 hr | More units go on sale: in 1 hr. Stay. held by buyers who have not paid yet: 2.
          0    | 0  | More soon    | More units go on sale: soon. Stay.
          null | 0  | Sold out     | All units are sold and paid. A unit comes back only if a buyer gets a refund. Stay.
          null | 2  | Sold out     | held by other buyers right now. held by buyers who have not paid yet: 2.
          null | -1 | Sold out     | held by other buyers right now.
          """)
  void nobodyReadsThatNothingComesWhileABatchOrAPaymentIsDue(
      String batchIn, int held, String state, String parts) {
    String batch =
        batchIn.equals("null")
            ? "null"
            : '"' + Instant.EPOCH.plusSeconds(Long.parseLong(batchIn)).toString() + '"';
    Fields product =
        Fields.of(
            """
            {"status":"sold_out","total_stock":25,"remaining_stock":0,"held_stock":%d,"next_batch_at":%s}
            """
                .formatted(held, batch));
    Wording wording = wording(Language.EN);
    assertThat(new SaleWording(wording).stateText(product)).isEqualTo(state);
    String text = new SaleWording(wording).taken(product, "ready.sold_out", "ready.stay");
    for (String part : parts.replace("Stay.", wording.text("ready.stay")).split("(?<=\\.) ", -1)) {
      assertThat(text).contains(part);
    }
    assertThat(new SaleWording(wording).stock(product))
        .isEqualTo(
            wording
                .text("stock." + (batch.equals("null") ? "none" : "more"))
                .replace("{total}", "25"));
  }

  @Test
  void aTimeIsThatOfTheShopAndNamesItsZone() {
    assertThat(wording(Language.EN).time(Instant.parse("2026-11-28T14:08:30Z")))
        .isEqualTo("2026-11-28 22:08 GMT+8");
    Wording utc = new Wording(Dictionary.of(Language.EN), "TWD", ZoneOffset.UTC, Instant.EPOCH);
    assertThat(utc.time(Instant.EPOCH)).isEqualTo("1970-01-01 00:00 UTC");
  }

  private static String span(Language language, long seconds) {
    return wording(language).span(Duration.ofSeconds(seconds));
  }

  private static Wording wording(Language language) {
    return new Wording(Dictionary.of(language), "TWD", ZoneId.of("Asia/Taipei"), Instant.EPOCH);
  }
}
