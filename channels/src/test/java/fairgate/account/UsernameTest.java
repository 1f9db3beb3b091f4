package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class UsernameTest {
  @ParameterizedTest
  @ValueSource(strings = {"ming", "王小明", "a_b-c.d", "Zoë99", "ผู้ใช้"})
  void lettersAndDigitsOfAnyWriting(String text) {
    assertThat(Username.of(text)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ab",
        "_ming",
        "ming.",
        "ming ming",
        "a@b",
        "ming\u202e",
        "mi\u200bng",
        "<b>",
        "🐢🐢🐢",
        "a/b",
        "ming\n"
      })
  void whatIsNoName(String text) {
    assertThat(Username.of(text)).isEmpty();
  }

  @Test
  void namesThatReadTheSameAreOne() {
    assertThat(Username.of("Ming").orElseThrow().key())
        .isEqualTo(Username.of("ＭＩＮＧ").orElseThrow().key())
        .isEqualTo("ming");
    assertThat(Username.of("x".repeat(32))).isPresent();
    assertThat(Username.of("x".repeat(33))).isEmpty();
    assertThat(Username.of("x".repeat(5_000))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "admin",
        "Admin",
        "ADMIN",
        "root",
        "adm1n",
        "a.d.m.i.n",
        "аdmin",
        "ｒｏｏｔ",
        "r00t",
        "áдmin",
        "supp0rt",
        "管理員",
        "客服中心",
        "system",
        "mοderator"
      })
  void namesOfPeopleInChargeAreKeptWhateverLettersStandInForTheirs(String text) {
    assertThat(UsernameRules.problem(Username.of(text).orElseThrow())).as(text).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mіng88", "pаypal", "αlpha-one", "Ивaнов"})
  void scriptsWhoseLettersLookAlikeAreNotMixed(String text) {
    assertThat(UsernameRules.problem(Username.of(text).orElseThrow()))
        .as(text)
        .contains("username_scripts");
  }

  @ParameterizedTest
  @CsvSource({
    "paypal, paypa1",
    "paypal, PayPaI",
    "modern, modem",
    "ТОМ, TOM",
    "сосо, coco",
    "boO0, b000",
    "wwave, vvwave",
    "ＫＩＭ, kim"
  })
  void namesThatLookAlikeAreOne(String one, String other) {
    assertThat(look(one)).isEqualTo(look(other));
  }

  @ParameterizedTest
  @CsvSource({
    "ming, ning",
    "zoe, zoë",
    "ming-1, ming1",
    "ming5, mings",
    "かきあ, がきあ",
    "王小明, 王小民",
    "лев, лєв",
    "σοφια, οοφια",
    "김철수, 김철호",
    "पति, पता"
  })
  void namesThatPeopleTellApartAreTwo(String one, String other) {
    assertThat(look(one)).isNotEqualTo(look(other));
  }

  private static String look(String name) {
    return UsernameRules.look(Username.of(name).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ming",
        "小明Ming",
        "王小明88",
        "Иванов",
        "αλφα",
        "さくらサクラ",
        "김철수",
        "Zoë99",
        "administrate"
      })
  void whatIsWrittenAsPeopleWriteIsTaken(String text) {
    assertThat(UsernameRules.problem(Username.of(text).orElseThrow())).as(text).isEmpty();
  }
}
