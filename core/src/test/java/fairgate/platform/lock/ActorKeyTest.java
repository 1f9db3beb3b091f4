package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ActorKeyTest {
  @Test
  void theUserPrecedesTheGroupAndTheRoom() {
    assertThat(ActorKey.buildActorKey("U1", "C2", "R3")).contains("processing:user:U1");
    assertThat(ActorKey.buildActorKey(null, "C2", "R3")).contains("processing:group:C2");
    assertThat(ActorKey.buildActorKey(null, null, "R3")).contains("processing:room:R3");
  }

  @Test
  void anUnknownActorHasNoKey() {
    assertThat(ActorKey.buildActorKey(null, null, null)).isEmpty();
    assertThat(ActorKey.buildActorKey("", "", "")).isEmpty();
  }

  @Test
  void invalidIdsCountAsUnknown() {
    assertThat(ActorKey.buildActorKey("U 1\r\n", "C2", null)).contains("processing:group:C2");
    assertThat(ActorKey.buildActorKey("U".repeat(129), null, null)).isEmpty();
  }
}
