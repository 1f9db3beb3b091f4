package fairgate.draw.verify;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.TicketOrder;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RoomVerifierTest {
  private static RoomVerdict verify(TestRoomDraw.Kind kind, Set<String> chains) {
    Map<String, byte[]> files = TestRoomDraw.files(kind);
    return RoomVerifier.verify(
        VerifyRequest.everything(path -> Optional.ofNullable(files.get(path)), chains),
        TestRoomDraw.ROOM,
        OptionalLong.empty(),
        OptionalLong.of(TestRoomDraw.TICKET));
  }

  @ParameterizedTest
  @EnumSource
  void everyCheatIsFound(TestRoomDraw.Kind kind) {
    RoomVerdict verdict = verify(kind, TestDraw.CHAINS);
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(kind.code());
  }

  @Test
  void thePlaceOfATicketFollowsFromTheSeed() {
    RoomVerdict.Found found =
        verify(TestRoomDraw.Kind.HONEST, TestDraw.CHAINS).draw().orElseThrow();
    TicketOrder order = new TicketOrder(found.seed().orElseThrow().hex(), (int) found.tickets());
    assertThat(found.place()).hasValue(order.of(TestRoomDraw.TICKET));
    assertThat(found.quorum()).isEqualTo(2);
  }

  @Test
  void otherAnnouncementsAreTold() {
    assertThat(verify(TestRoomDraw.Kind.ANNOUNCED_AGAIN, TestDraw.CHAINS).announced())
        .containsExactly(6L, 7L);
    assertThat(verify(TestRoomDraw.Kind.NEVER_ANNOUNCED, TestDraw.CHAINS).draw()).isEmpty();
    assertThat(verify(TestRoomDraw.Kind.WAITING, TestDraw.CHAINS).draw().orElseThrow().seed())
        .isEmpty();
  }

  /// Only the latest draw can be in use.
  @Test
  void anEarlierDrawNeedNotBeInUse() {
    Map<String, byte[]> files = TestRoomDraw.files(TestRoomDraw.Kind.REPLACED);
    RoomVerdict verdict =
        RoomVerifier.verify(
            VerifyRequest.everything(path -> Optional.ofNullable(files.get(path)), TestDraw.CHAINS),
            TestRoomDraw.ROOM,
            OptionalLong.of(6),
            OptionalLong.empty());
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.draw().orElseThrow().seed()).isPresent();
  }

  @Test
  void aChainThatTheCallerDoesNotNameIsRefused() {
    assertThat(verify(TestRoomDraw.Kind.HONEST, Set.of()).code())
        .isEqualTo(VerdictCode.UNKNOWN_BEACON);
  }
}
