package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.text.Language;
import java.time.Duration;
import java.time.Instant;
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
    assertThat(wording.state(product)).isEqualTo(state);
    assertThat(wording.stock(product)).isEqualTo(stock);
  }

  private static String span(Language language, long seconds) {
    return wording(language).span(Duration.ofSeconds(seconds));
  }

  private static Wording wording(Language language) {
    return new Wording(Dictionary.of(language), "TWD", Instant.EPOCH);
  }
}
