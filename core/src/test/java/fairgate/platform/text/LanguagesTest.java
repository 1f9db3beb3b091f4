package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguagesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zh|zh-Hant",
        "zh-TW|zh-Hant",
        "zh-HK|zh-Hant",
        "zh-MO|zh-Hant",
        "zh-Hant|zh-Hant",
        "zh-Hant-CN|zh-Hant",
        "zh_TW|zh-Hant",
        "zh-CN|zh-Hans",
        "zh-SG|zh-Hans",
        "zh-Hans|zh-Hans",
        "zh-Hans-HK|zh-Hans",
        "ZH-cn|zh-Hans",
        "en|en",
        "en-US|en",
        "en-GB,en;q=0.9|en",
        "''|zh-Hant",
        "*|zh-Hant",
        "fr|en",
        "fr-FR,fr;q=0.9,*;q=0.5|en",
        "ja,zh-CN;q=0.5|zh-Hans",
        "fr,en;q=0.3|en",
        "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5|en",
        "en;q=0.5,zh-CN;q=0.9|zh-Hans",
        "zh-CN;q=0.5,zh-TW;q=0.5|zh-Hans",
        "en;q=0,zh-CN;q=0.1|zh-Hans",
        "en;q=0|zh-Hant",
        "en ; q=0.2 , zh-TW ; q=0.4|zh-Hant",
        "*;q=0.9,en;q=0.1|en",
        "en;q=abc,zh-CN;q=0.1|zh-Hans",
        "en;q=2|zh-Hant",
        ",,;;,en|en",
        "english|en",
      })
  void theScriptDecides(String header, String tag) {
    assertThat(pick(header).tag()).isEqualTo(tag);
    assertThat(pick(header).tag()).as("asked again").isEqualTo(tag);
  }

  @Test
  void aCallerWithoutAPreferenceGetsTheDefault() {
    for (Language fallback : Language.values()) {
      assertThat(Languages.pick(null, fallback)).isEqualTo(fallback);
      assertThat(Languages.pick("*", fallback)).isEqualTo(fallback);
      assertThat(Languages.pick(" ", fallback)).isEqualTo(fallback);
      assertThat(Languages.pick("fr", fallback)).isEqualTo(Language.EN);
    }
  }

  @Test
  void onlyTheBeginningOfALongHeaderIsRead() {
    assertThat(pick("x,".repeat(4000) + "zh-CN")).isEqualTo(Language.EN);
  }

  private static Language pick(String header) {
    return Languages.pick(header, Language.ZH_HANT);
  }
}
