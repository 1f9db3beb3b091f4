package fairgate.room;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.token.RoomTokens;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What a node knows of a room: the number of waiting visitors, and the failure policy, which opens
/// late and ends by itself.
class RoomNodeTest {
  private static final long CUT = 1_000_000;

  private static Room room(int openMinutes) {
    return new Room(
        "tour",
        new RoomRules(List.of("shop.example"), List.of(), List.of(), Set.of()),
        null,
        Room.Mode.ON,
        new Room.Admission(1, 1, 10, false),
        new Room.Opening(null, null, Room.PreQueue.ARRIVAL),
        new Room.Failure(openMinutes),
        new Room.Look("https://shop.example/", "", Map.of(), Map.of()),
        false,
        new Room.PlaceLimits(null, null),
        RoomTokens.Algorithm.ES256,
        1,
        1);
  }

  private static boolean isOpen(RoomNode node, int minutes, Duration after) {
    return node.isOpenByFailure(room(minutes), CUT + after.toMillis());
  }

  @Test
  void aRoomThatOpensByFailureClosesAfterItsMinutes() {
    RoomNode node = new RoomNode("tour", CUT);
    assertThat(isOpen(node, 5, RoomNode.STALE_AFTER)).isFalse();
    assertThat(isOpen(node, 5, RoomNode.STALE_AFTER.plusMillis(1))).isTrue();
    assertThat(isOpen(node, 5, Duration.ofMinutes(5))).isTrue();
    assertThat(isOpen(node, 5, Duration.ofMinutes(5).plusMillis(1))).isFalse();
    assertThat(isOpen(node, 5, Duration.ofDays(1))).isFalse();
  }

  /// After a loss of data ticket numbers begin again.
  @Test
  void aNewEpochForgetsTheVisitsThatWereEnded() {
    RoomNode node = new RoomNode("tour", CUT);
    node.revoke(List.of(3L), CUT);
    assertThat(node.isRevoked(3)).isTrue();
    node.epochBegun();
    assertThat(node.isRevoked(3)).isFalse();
  }

  @Test
  void theVisitorsWhoWaitAreTheTicketsFromTheCursorOnThatAreNotGone() {
    RoomNode node = new RoomNode("tour", CUT);
    assertThat(node.waiting()).isNull();
    node.head("{\"cursor\": 20000, \"last\": 40000, \"gone\": [0, 300, 7]}".getBytes(UTF_8));
    assertThat(node.waiting()).isEqualTo(19_693);
    node.head("{\"cursor\": 3, \"last\": 0, \"gone\": [0]}".getBytes(UTF_8));
    assertThat(node.waiting()).isZero();
  }

  @Test
  void aClosedRoomNeverOpensByFailure() {
    RoomNode node = new RoomNode("tour", CUT);
    for (int seconds = 0; seconds < 3_600; seconds++) {
      assertThat(isOpen(node, 0, Duration.ofSeconds(seconds))).isFalse();
    }
  }
}
