package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.ban.Ban;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.queue.JoinGate.Level;
import fairgate.queue.JoinGate.Verdict;
import fairgate.queue.Seat;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The verdict on a join of somebody with entries on the allow-list.
class AfterAppealsTest {
  private static final ProductId SALE = new ProductId("7");
  private static final Verdict LOW = Verdict.inOrder(Level.NONE, "a");
  private static final Verdict USUAL = Verdict.inOrder(Level.USUAL, "a");
  private static final Verdict CHALLENGE =
      Verdict.refused(Refusal.of(ErrorCode.CHALLENGE_REQUIRED), Level.HARDER, "a");
  private static final Verdict BEHIND = Verdict.seated(Seat.BEHIND, "a", Map.of());
  private static final Verdict HELD = Verdict.seated(Seat.HELD, "a", Map.of());
  private static final Verdict REFUSED =
      Verdict.refused(Refusal.of(ErrorCode.RISK_REFUSED), Level.NONE, "a");

  private static final Ban CAMPUS =
      entry(new BanSubject(BanSubject.Kind.NETWORK, "198.51.100.0/24"), "grace");

  private static Ban entry(BanSubject subject, String author) {
    return new Ban(1, Ban.Effect.ALLOW, subject, "because", author, 0, 1_000);
  }

  private static Ban browser(String author) {
    return entry(new BanSubject(BanSubject.Kind.DEVICE, "browser"), author);
  }

  private static Ban account(String author) {
    return entry(BanSubject.account("acc_1"), author);
  }

  private static Verdict after(Verdict judged, Ban... exemptions) {
    return AfterAppeals.verdict(SALE, judged, Stream.of(exemptions));
  }

  private static void gives(Verdict verdict, Seat seat, Level level) {
    assertThat(verdict.seat()).isEqualTo(seat);
    assertThat(verdict.level()).isEqualTo(level);
    assertThat(verdict.refusal() != null && level == Level.NONE).as("refused").isFalse();
  }

  @Test
  void withoutEntriesRiskDecides() {
    for (Verdict judged : new Verdict[] {LOW, USUAL, CHALLENGE, BEHIND, HELD, REFUSED}) {
      assertThat(after(judged)).isSameAs(judged);
      assertThat(after(judged, CAMPUS)).isSameAs(judged);
      assertThat(after(judged, browser(Ban.ROOMS))).isSameAs(judged);
    }
  }

  @Test
  void aGrantedAppealOfAPersonPrevailsOverRisk() {
    for (Verdict judged : new Verdict[] {USUAL, CHALLENGE, BEHIND, HELD, REFUSED}) {
      gives(after(judged, CAMPUS, account(Ban.APPEAL)), Seat.IN_ORDER, Level.NONE);
    }
  }

  /// An upgrade or an older node may have left such entries.
  @ParameterizedTest
  @ValueSource(strings = {"appeal.slower", "appeal.behind", "appeal.late"})
  void anEntryThatNoDecisionLeavesAnyMoreChangesNothing(String author) {
    assertThat(after(BEHIND, browser(author))).isSameAs(BEHIND);
    assertThat(after(LOW, browser(author))).isSameAs(LOW);
  }

  @Test
  void aSparedChallengeChangesNoSeat() {
    Verdict verdict = after(BEHIND, browser(Ban.once(SALE)));
    gives(verdict, Seat.BEHIND, BEHIND.level());
    assertThat(verdict.waiver()).isNotNull();
    assertThat(after(USUAL, browser(Ban.once(SALE)), CAMPUS).waiver()).isNotNull();
    assertThat(after(USUAL, browser(Ban.once(new ProductId("8")))).waiver()).isNull();
  }

  @Test
  void aGrantedAppealOfAnAddressDemandsNoChallengeThatRiskSpares() {
    BanSubject address = new BanSubject(BanSubject.Kind.IP, "198.51.100.7");
    Ban granted = entry(address, Ban.APPEAL);
    assertThat(after(LOW, granted)).isSameAs(LOW);
    for (Verdict judged : new Verdict[] {CHALLENGE, BEHIND, HELD, REFUSED}) {
      gives(after(judged, granted), Seat.IN_ORDER, Level.USUAL);
    }
  }
}
