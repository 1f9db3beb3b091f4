package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusWordsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "付款以后用户退款成功，交易自动关闭 | refunded",
        "付款以后用户退款成功,交易自动关闭 | refunded",
        "付款以前，卖家或买家主动关闭交易 | cancelled",
        "TRADE_CLOSED | refunded",
        "TRADE_CLOSED_BY_TAOBAO | cancelled",
        "买家已付款，等待卖家发货 | paid",
        "卖家部分发货 | paid",
        "等待买家付款 | pending",
        "已关闭 | cancelled",
        "清关中 | paid",
        "备货中 | paid",
        "運送中 | paid",
        "To ship | paid",
        "TO_RETURN_REFUND_COMPLETED | ",
        "ready_to_ship | paid",
        "Refund Completed | refunded",
        "partially_refunded | paid",
        "Voided | cancelled",
        "PARTIALLY_PAID | pending",
        "wc-processing | paid",
        "On hold | pending",
        "wc-refunded | refunded",
        "退款成功，部分发货后关闭 | ",
        "部分退款成功 | paid",
        "ＰＡＩＤ | paid",
        "已全额退款 | refunded",
        "－ | ",
        "lost in the post | "
      })
  void wordsOfThePlatformsAreKnown(String word, String status) {
    assertThat(StatusWords.known(word).orElse(null)).isEqualTo(status);
  }

  @Test
  void theWordsThatARefusalNamesAreKnownInEveryLanguage() {
    RowProblem unknown = RowProblem.of("unknown_status", "X");
    for (Language language : Language.values()) {
      String advice = unknown.text(language);
      for (String status : StatusWords.STATUSES) {
        String word =
            language == Language.EN ? status : Messages.text(language, "import.status." + status);
        assertThat(StatusWords.known(word)).hasValue(status);
        assertThat(advice).contains(word);
      }
      assertThat(RowProblem.older("1", "refunded").text(language).contains("refunded"))
          .isEqualTo(language == Language.EN);
    }
  }

  /// Advice is read in the console, too. The command names its own options.
  @Test
  void noRefusalNamesOptionsOfTheCommandLine() {
    for (Language language : Language.values()) {
      for (String key :
          List.of(
              "row.excel_zeros",
              "row.ambiguous_platform",
              "row.unknown_product",
              "row.unknown_status",
              "row.no_zone",
              "row.older",
              "invalid.csv_no_column",
              "invalid.csv_no_column_or_value")) {
        assertThat(Messages.text(language, key, "", "")).as(key).doesNotContain("--", "map.", "_");
      }
    }
  }

  @Test
  void theOperatorsOwnWordsComeFirst() {
    StatusWords words =
        new StatusWords(Map.of(StatusWords.normal("仅退款，完成"), "refunded", "closed", "paid"));
    assertThat(words.status("仅退款完成")).contains("refunded");
    assertThat(words.status("Closed")).contains("paid");
    assertThat(words.status("paid")).contains("paid");
  }

  @Test
  void aRefundOfAPartIsNoRefundOfTheOrder() {
    assertThat(StatusWords.isRefunded("退款成功")).isTrue();
    assertThat(StatusWords.isRefunded("部分退款成功")).isFalse();
    assertThat(StatusWords.isRefunded("partially_refunded")).isFalse();
    assertThat(StatusWords.isRefunded("-")).isFalse();
  }
}
