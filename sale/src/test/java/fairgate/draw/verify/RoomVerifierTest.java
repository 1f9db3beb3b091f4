package fairgate.draw.verify;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.verify.RoomVerifier.RoomVerdict;
import fairgate.kernel.TicketOrder;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoomVerifierTest {
  private static RoomVerdict verify(TestRoomDraw.Kind kind, Set<String> chains) {
    return verify(kind, chains, TestRoomDraw.TICKET);
  }

  private static RoomVerdict verify(TestRoomDraw.Kind kind, Set<String> chains, long ticket) {
    Map<String, byte[]> files = TestRoomDraw.files(kind);
    return RoomVerifier.verify(
        VerifyRequest.everything(
            path -> Optional.ofNullable(files.get(path)), chains, Clock.systemUTC()),
        TestRoomDraw.ROOM,
        OptionalLong.empty(),
        OptionalLong.of(ticket));
  }

  @ParameterizedTest
  @EnumSource
  void everyCheatIsFound(TestRoomDraw.Kind kind) {
    RoomVerdict verdict = verify(kind, TestChains.NAMED);
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(kind.code());
  }

  @Test
  void thePlaceOfATicketFollowsFromTheSeed() {
    RoomVerdict.Found found =
        verify(TestRoomDraw.Kind.HONEST, TestChains.NAMED).draw().orElseThrow();
    TicketOrder order = new TicketOrder(found.seed().orElseThrow().hex(), (int) found.tickets());
    assertThat(found.place()).hasValue(order.of(TestRoomDraw.TICKET));
    assertThat(found.quorum()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, TestRoomDraw.TICKETS, Long.MIN_VALUE, Long.MAX_VALUE})
  void aTicketOutsideTheDrawHasNoPlace(long ticket) {
    for (TestRoomDraw.Kind kind : List.of(TestRoomDraw.Kind.HONEST, TestRoomDraw.Kind.WAITING)) {
      RoomVerdict verdict = verify(kind, TestChains.NAMED, ticket);
      assertThat(verdict.code()).isEqualTo(VerdictCode.TICKET_NOT_IN_DRAW);
      assertThat(verdict.code().isUnreadable()).isTrue();
      assertThat(verdict.detail()).isEqualTo(ticket + ", not 0-299");
      assertThat(verdict.draw().orElseThrow().place()).isEmpty();
    }
    // It hides no cheat.
    assertThat(verify(TestRoomDraw.Kind.BY_ARRIVAL, TestChains.NAMED, ticket).code())
        .isEqualTo(VerdictCode.NOT_IN_USE);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, TestRoomDraw.TICKETS - 1})
  void theFirstAndTheLastTicketOfADrawHaveAPlace(long ticket) {
    RoomVerdict verdict = verify(TestRoomDraw.Kind.HONEST, TestChains.NAMED, ticket);
    assertThat(verdict.code()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.draw().orElseThrow().place().orElseThrow())
        .isBetween(0L, TestRoomDraw.TICKETS - 1L);
  }

  @Test
  void otherAnnouncementsAreTold() {
    assertThat(verify(TestRoomDraw.Kind.ANNOUNCED_AGAIN, TestChains.NAMED).announced())
        .containsExactly(6L, 7L);
    assertThat(verify(TestRoomDraw.Kind.NEVER_ANNOUNCED, TestChains.NAMED).draw()).isEmpty();
    assertThat(verify(TestRoomDraw.Kind.WAITING, TestChains.NAMED).draw().orElseThrow().seed())
        .isEmpty();
  }

  /// Only the latest draw can be in use.
  @Test
  void anEarlierDrawNeedNotBeInUse() {
    Map<String, byte[]> files = TestRoomDraw.files(TestRoomDraw.Kind.REPLACED);
    RoomVerdict verdict =
        RoomVerifier.verify(
            VerifyRequest.everything(
                path -> Optional.ofNullable(files.get(path)), TestChains.NAMED, Clock.systemUTC()),
            TestRoomDraw.ROOM,
            OptionalLong.of(6),
            OptionalLong.empty());
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.draw().orElseThrow().seed()).isPresent();
  }

  @Test
  void aDrawOfAnEarlierRoomIsToldAsSuchWhateverTheNewRoomDoes() {
    for (TestRoomDraw.Kind kind :
        List.of(
            TestRoomDraw.Kind.OF_AN_EARLIER_ROOM, TestRoomDraw.Kind.OF_AN_EARLIER_ROOM_JUST_PAST)) {
      assertThat(verify(kind, TestChains.NAMED).warnings()).containsExactly("earlier_room");
    }
    assertThat(verify(TestRoomDraw.Kind.HONEST, TestChains.NAMED).warnings()).isEmpty();
    assertThat(codeAt(TestRoomDraw.Kind.OF_AN_EARLIER_ROOM_JUST_PAST, 899))
        .isEqualTo(VerdictCode.OK);
    assertThat(codeAt(TestRoomDraw.Kind.OF_AN_EARLIER_ROOM_JUST_PAST, 900))
        .isEqualTo(VerdictCode.WITHHELD);
  }

  private static VerdictCode codeAt(TestRoomDraw.Kind kind, long secondsAfterTheRound) {
    Map<String, byte[]> files = TestRoomDraw.files(kind);
    VerifyRequest request =
        VerifyRequest.everything(
            path -> Optional.ofNullable(files.get(path)), TestChains.NAMED, Clock.systemUTC());
    OptionalLong none = OptionalLong.empty();
    long round =
        RoomVerifier.verify(request, TestRoomDraw.ROOM, none, none).draw().orElseThrow().drawsAt();
    Instant now = Instant.ofEpochSecond(round + secondsAfterTheRound);
    return RoomVerifier.verify(
            request.at(Clock.fixed(now, ZoneOffset.UTC)), TestRoomDraw.ROOM, none, none)
        .code();
  }

  @Test
  void aResultIsDueFifteenMinutesAfterItsRoundAndInAnOpenRoomOneMinuteAfterIt() {
    for (TestRoomDraw.Kind closed :
        List.of(TestRoomDraw.Kind.WITHHELD, TestRoomDraw.Kind.WITHHELD_BY_A_DELETED_ROOM)) {
      assertThat(codeAt(closed, 899)).isEqualTo(VerdictCode.OK);
      assertThat(codeAt(closed, 900)).isEqualTo(VerdictCode.WITHHELD);
    }
    assertThat(codeAt(TestRoomDraw.Kind.WITHHELD_BY_AN_OPEN_ROOM, 59)).isEqualTo(VerdictCode.OK);
    assertThat(codeAt(TestRoomDraw.Kind.WITHHELD_BY_AN_OPEN_ROOM, 60))
        .isEqualTo(VerdictCode.WITHHELD);
  }

  @Test
  void aChainThatTheCallerDoesNotNameIsRefused() {
    assertThat(verify(TestRoomDraw.Kind.HONEST, Set.of()).code())
        .isEqualTo(VerdictCode.UNKNOWN_BEACON);
  }
}
