package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CellParserTest {
  private static final Instant AT = Instant.parse("2026-01-08T04:30:00Z");
  private static final Optional<ZoneId> SHANGHAI = Optional.of(ZoneId.of("Asia/Shanghai"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-08T12:30:00+08:00",
        "2026-01-08T04:30:00Z",
        "2026-01-08t04:30:00.000z",
        "2026-01-08 04:30:00 UTC",
        "2026-01-08 04:30 utc",
        "2026-01-08 12:30:00 +0800",
        "2026-01-08 12:30:00+08",
        "2026-01-08 12:30:00 GMT+8",
        "2026-01-08 12:30:00 UTC+8:00",
        "2026/1/8 12:30 +08:00",
        "２０２６－０１－０８ １２：３０：００ ＋０８００",
        "2026-01-07T23:30:00.0-0500"
      })
  void timesWithAnOffsetAreReadAsProgramsWriteThem(String text) {
    assertThat(CellParser.time(text, Optional.empty())).contains(AT);
    assertThat(CellParser.isLocal(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-08 12:30:00",
        "2026-01-08 12:30:00.0",
        "2026-01-08T12:30:00.000",
        "2026/1/8 12:30",
        "2026.01.08 12:30:00",
        "2026年1月8日 12:30:00",
        "2026/1/8 下午 12:30",
        "2026/1/8 下午12:30:00",
        "2026-01-08 12:30:00 pm"
      })
  void timesWithoutAnOffsetAreThoseOfTheZone(String text) {
    assertThat(CellParser.time(text, SHANGHAI)).contains(AT);
    assertThat(CellParser.time(text, Optional.empty())).isEmpty();
    assertThat(CellParser.isLocal(text)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"上午 12:05, 00:05", "上午 9:05, 09:05", "下午 1:05, 13:05", "下午 11:05, 23:05"})
  void hoursOfHalfADayAreRead(String half, String whole) {
    assertThat(CellParser.time("2026/1/8 " + half, SHANGHAI))
        .isPresent()
        .isEqualTo(CellParser.time("2026/1/8 " + whole, SHANGHAI));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026/1/8 下午 13:05",
        "2026/1/8 上午 0:05",
        "yesterday",
        "2026-13-08 12:30:00",
        "2026-01-08 25:00",
        "2026-02-30",
        "1767846600",
        "2026-01-08 12:30:00 +99",
        "2026-01-08 12:30:00 PST",
        "08/01/2026"
      })
  void otherTextIsNoTime(String text) {
    assertThat(CellParser.time(text, SHANGHAI)).isEmpty();
    assertThat(CellParser.isLocal(text)).isFalse();
  }

  @Test
  void timesAreWholeMicroseconds() {
    assertThat(CellParser.time("2026-01-08T04:30:00.123456789Z", Optional.empty()))
        .contains(Instant.parse("2026-01-08T04:30:00.123456Z"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1,299.00 | 129900",
        "￥１９９．００ | 19900",
        "¥１，２９９．５ | 129950",
        "NT$ 1,299 | 129900",
        "CNY 99.5 | 9950",
        "99 元 | 9900",
        "12.00 USD | 1200",
        "HK$8 | 800",
        "1299,5 | ",
        "12.345 | ",
        "free | ",
        "-1 | "
      })
  void amountsWithMarksAndFullWidthDigitsAreRead(String text, String minorUnits) {
    assertThat(CellParser.amount(text, "CNY").map(String::valueOf).orElse(null))
        .isEqualTo(minorUnits);
  }
}
