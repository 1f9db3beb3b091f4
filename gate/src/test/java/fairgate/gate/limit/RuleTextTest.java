package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.gate.limit.LimitDefaults.RuleText;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RuleTextTest {
  private static final LimitRule BASE = LimitWorld.window(3, 60);

  private static LimitRule rule(String text) {
    return RuleText.apply(BASE, text).orElseThrow();
  }

  @Test
  void whatIsNotSaidStaysAsItIs() {
    assertThat(rule("5/m")).isEqualTo(LimitWorld.window(5, 60));
    assertThat(rule("7/2h").seconds()).isEqualTo(7_200);
    assertThat(rule("20/d").seconds()).isEqualTo(86_400);
  }

  @Test
  void everythingCanBeSaid() {
    LimitRule rule = rule("100/60s burst 20 rate open");
    assertThat(rule.semantics()).isEqualTo(Semantics.RATE);
    assertThat(rule.max()).isEqualTo(100);
    assertThat(rule.burst()).isEqualTo(20);
    assertThat(rule.onFailure()).isEqualTo(OnFailure.OPEN);
    assertThat(rule("2/s local-share").onFailure()).isEqualTo(OnFailure.LOCAL_SHARE);
    assertThat(RuleText.apply(BASE, "off")).isEmpty();
  }

  @Test
  void aRuleIsWrittenAsItIsRead() {
    for (LimitDefaults.Entry entry : LimitDefaults.ALL) {
      LimitRule rule = entry.rule();
      assertThat(RuleText.apply(rule, RuleText.of(rule))).contains(rule);
    }
    LimitRule bursty = LimitWorld.rate(100, 60, 20);
    assertThat(RuleText.apply(bursty, RuleText.of(bursty))).contains(bursty);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "5/",
        "/s",
        "five/s",
        "-1/s",
        "0/s",
        "5/x",
        "5/0s",
        "5/25h",
        "2000000000/s",
        "5/s burst",
        "5/s burst 0",
        "5/s burst 3 window",
        "5/s often",
        "1001/m window",
        "3/7d",
        "off window",
        "99999999999999999999/s",
        "5/s open open rate rate rate rate rate rate rate rate rate rate rate"
      })
  void nonsenseIsRefusedWithAReason(String text) {
    assertThatThrownBy(() -> RuleText.apply(BASE, text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(a|after|this) .+");
    assertThat(LimitDefaults.problem("join", text)).isPresent();
  }

  @Test
  void aBurstThatCannotBeCountedExactlyIsRefused() {
    assertThatThrownBy(() -> LimitWorld.rate(1, 86_400, 1_000_000))
        .hasMessageContaining("too long");
    assertThat(LimitWorld.rate(1_000_000, 86_400, 1_000_000).p()).isEqualTo(86_400);
  }
}
