package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PasswordRulesTest {
  private final PasswordRules rules = new PasswordRules();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password", "Password1!", "P@ssw0rd", "12345678", "87654321", "qwertyui", "QWERTYUIOP",
        "aaaaaaaa", "abcabcabc", "12121212", "iloveyou2", "Dragon2024", "letmein!!", "football99",
        "1q2w3e4r", "zaq12wsx", "abcdefgh", "woaini1314", "fairgate2026", "ｐａｓｓｗｏｒｄ"
      })
  void whatIsTriedFirstIsRefused(String password) {
    assertThat(rules.problem(password, "somebody")).as(password).contains("password_common");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "correct horse battery",
        "紅茶三分糖去冰加珍珠",
        "tr0ub4dor&3x",
        "8JfK2mQz",
        "Пароль-мой-дом",
        "🐢🐇🐢🐇🦔🦊🐻🐼"
      })
  void whatIsHardToGuessIsTaken(String password) {
    assertThat(rules.problem(password, "somebody")).as(password).isEmpty();
  }

  @Test
  void whatIsLikeTheNameIsRefused() {
    assertThat(rules.problem("Wanderer77", "wanderer")).contains("password_like_name");
    assertThat(rules.problem("rerednaw77", "wanderer")).contains("password_like_name");
    assertThat(rules.problem("wanderer the long way home", "wanderer")).isEmpty();
  }

  @Test
  void eightToAHundredAndTwentyEightCharactersOfAnyWriting() {
    assertThat(PasswordRules.isLongEnough("1234567")).isFalse();
    assertThat(PasswordRules.isLongEnough("12345678")).isTrue();
    assertThat(PasswordRules.isLongEnough("🐢".repeat(7))).isFalse();
    assertThat(PasswordRules.isLongEnough("🐢".repeat(128))).isTrue();
    assertThat(PasswordRules.isLongEnough("x".repeat(129))).isFalse();
  }

  @Test
  void theSameKeysGiveTheSamePassword() {
    assertThat(PasswordRules.normalized("cafe\u0301")).isEqualTo(PasswordRules.normalized("café"));
    // Compatibility forms stay apart: folding them would make passwords weaker.
    assertThat(PasswordRules.normalized("ﬁ")).isNotEqualTo(PasswordRules.normalized("fi"));
  }

  @Test
  void blanksOfWhateverKindAreNoPassword() {
    for (String blanks :
        new String[] {
          " \t \n  \t\n ",
          "\u3000\u2003 \u00a0\u2009\u3000 \u2003",
          "\u3164\u2800\u200b \u3164\u2800\t\u115f"
        }) {
      assertThat(rules.problem(blanks, "somebody")).contains("password_blank");
    }
  }
}
