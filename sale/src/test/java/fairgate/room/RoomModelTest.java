package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;

/// Random visitors in one room: the promises hold after every step. jqwik prints the seed.
@Tag("slow")
class RoomModelTest {
  private static final int STEPS = 150;

  @Property(tries = 12, edgeCases = EdgeCasesMode.NONE)
  void nobodyEntersBeforeASmallerTicketThatIsPresentAndTheCapacityHolds(@ForAll long seed) {
    Random random = new Random(seed);
    int capacity = 1 + random.nextInt(5);
    // Reservations end at once in half of the runs, so that most visitors come late.
    Duration showUp = random.nextBoolean() ? Duration.ofMillis(1) : RoomWorld.LONG;
    try (RoomWorld world =
        RoomWorld.open(RoomWorld.on(capacity, 10_000, ""), RoomWorld.config(showUp))) {
      List<Visitor> waiting = new ArrayList<>();
      List<EntryOutcome.Admitted> inside = new ArrayList<>();
      long cursor = 0;
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            Visitor fresh = world.join(step);
            assertThat(fresh.ticket()).isEqualTo(Long.parseLong(world.state("next")) - 1);
            waiting.add(fresh);
          }
          case 2 -> world.move();
          case 3 -> {
            if (!waiting.isEmpty()) {
              Visitor leaves = waiting.remove(random.nextInt(waiting.size()));
              var _ = world.rooms.places().leave(world.room(), world.possession(leaves)).await();
            }
          }
          case 4 -> {
            if (!inside.isEmpty()) {
              EntryOutcome.Admitted leaves = inside.remove(random.nextInt(inside.size()));
              Void _ = world.rooms.service().release(world.room(), leaves.claims()).await();
            }
          }
          default -> {
            if (!waiting.isEmpty()) {
              Visitor comes = waiting.get(random.nextInt(waiting.size()));
              if (enters(world, comes, inside)) {
                waiting.remove(comes);
              }
            }
          }
        }
        long now = Long.parseLong("0" + world.state("cursor"));
        assertThat(now).isGreaterThanOrEqualTo(cursor);
        cursor = now;
        assertThat(size(world, "inside") + size(world, "reserved")).isLessThanOrEqualTo(capacity);
        assertThat(size(world, "reserved")).isEqualTo(size(world, "reserved_order"));
      }
    }
  }

  private static boolean enters(
      RoomWorld world, Visitor comes, List<EntryOutcome.Admitted> inside) {
    if (!(world.enter(comes) instanceof EntryOutcome.Admitted turn)) {
      return false;
    }
    assertThat(comes.ticket()).isLessThan(Long.parseLong(world.state("cursor")));
    List<String> due =
        world.redis.send("ZRANGE", new RoomStateKeys(world.id).due(), "0", "0").await().texts();
    assertThat(due)
        .as("smaller tickets that are present and wait for a slot")
        .allMatch(ticket -> Long.parseLong(ticket) > comes.ticket());
    inside.add(
        (EntryOutcome.Admitted) world.rooms.service().exchange(world.room(), turn.token()).await());
    return true;
  }

  private static long size(RoomWorld world, String set) {
    return world.redis.send("ZCARD", "room:{" + world.id + "}:" + set).await().number();
  }
}
