package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonObject;
import fairgate.room.RoomWorld.Visitor;
import fairgate.room.token.RoomClaims;
import fairgate.testkit.Eventually;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RoomServiceTest {
  @Test
  void ticketsAreDenseAndInOrderOfArrival() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      List<Long> tickets = new ArrayList<>();
      for (int browser = 0; browser < 20; browser++) {
        tickets.add(world.join(browser).ticket());
      }
      assertThat(tickets).isEqualTo(java.util.stream.LongStream.range(0, 20).boxed().toList());
    }
  }

  @Test
  void aBrowserThatJoinsAgainKeepsItsTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      Visitor first = world.join(1);
      Visitor other = world.join(2);
      assertThat(world.join(1).ticket()).isEqualTo(first.ticket());
      assertThat(world.join(2).ticket()).isEqualTo(other.ticket());
      assertThat(world.state("next")).isEqualTo("2");
    }
  }

  @Test
  void aVisitorEntersOnceWithTheOwnSecret() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(10, 100, ""))) {
      Visitor visitor = world.join(1);
      assertThat(world.tryEnter(visitor)).isEqualTo("NOT_YOUR_TURN");
      world.move();
      Visitor thief = new Visitor(visitor.place(), RoomWorld.secret(2), visitor.ticket());
      assertThat(world.tryEnter(thief)).isEqualTo("INVALID_PLACE_TOKEN");
      EntryOutcome.Admitted replaced = (EntryOutcome.Admitted) world.enter(visitor);
      EntryOutcome.Admitted turn = (EntryOutcome.Admitted) world.enter(visitor);
      RoomService service = world.rooms.service();
      assertThat(service.exchange(world.room(), replaced.token()).await())
          .isInstanceOf(EntryOutcome.Refused.class);
      EntryOutcome.Admitted pass =
          (EntryOutcome.Admitted) service.exchange(world.room(), turn.token()).await();
      assertThat(service.exchange(world.room(), turn.token()).await())
          .isInstanceOf(EntryOutcome.Refused.class);
      assertThat(service.pass(world.room(), pass.token())).contains(pass.claims());
      assertThat(service.pass(world.room(), turn.token())).isEmpty();
      assertThat(service.pass(world.room(), visitor.place())).isEmpty();
      assertThat(world.tryEnter(visitor)).isEqualTo("ALREADY_INSIDE");
    }
  }

  @Test
  void aReleasedSlotGoesToTheNextAndItsPassIsRevokedOnAllNodes() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""));
        RoomWorld other = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
      Visitor first = world.join(1);
      Visitor second = world.join(2);
      world.move();
      EntryOutcome.Admitted pass = world.pass(first);
      world.move();
      assertThat(world.tryEnter(second)).isEqualTo("NOT_YOUR_TURN");
      Void _ = world.rooms.service().release(world.room(), pass.claims()).await();
      Eventually.await(
          "the second enters",
          () -> {
            world.move();
            return world.tryEnter(second).equals("ENTER");
          });
      other.move();
      for (RoomWorld node : List.of(world, other)) {
        assertThat(node.rooms.service().pass(node.room(), pass.token())).isEmpty();
      }
    }
  }

  @Test
  void aPassInUseIsProlongedUntilTheAbsoluteEnd() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ", \"session_minutes\": 10"))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      assertThat(pass.expiresAt() - pass.issuedAt()).isEqualTo(600);
      long old = pass.issuedAt() - 3_500;
      RoomClaims late =
          new RoomClaims(
              pass.room(), pass.epoch(), pass.ticket(), null, pass.id(), old, old + 3_550, old);
      EntryOutcome.Admitted renewed =
          (EntryOutcome.Admitted) world.rooms.service().renew(world.room(), late).await();
      assertThat(renewed.claims().expiresAt()).isEqualTo(old + 3_600);
    }
  }

  @Test
  void aVisitorWhoComesLateTakesTheSlotOfTheLastOneWhoHasNotEntered() {
    Duration short_ = Duration.ofMillis(1);
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""), RoomWorld.config(short_))) {
      Visitor absent = world.join(1);
      Visitor next = world.join(2);
      Eventually.await(
          "the turn of the second has come",
          () -> {
            world.move();
            return world.state("cursor").equals("2");
          });
      try (RoomWorld slow = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
        assertThat(world.tryEnter(absent)).isEqualTo("ENTER");
        assertThat(slow.tryEnter(next)).isEqualTo("NOT_YOUR_TURN");
      }
    }
  }

  @Test
  void whoLeavesIsGoneAndCountsNoMore() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 10; browser++) {
        all.add(world.join(browser));
      }
      world.freshHead();
      RoomService service = world.rooms.service();
      for (int gone : List.of(3, 4, 7)) {
        assertThat(service.leave(world.room(), world.possession(all.get(gone))).await()).isNull();
        assertThat(service.here(world.room(), all.get(gone).place()).await())
            .isEqualTo(fairgate.kernel.ErrorCode.PLACE_GONE);
      }
      world.freshHead();
      assertThat(world.number("cursor")).isEqualTo(1);
      assertThat(world.number("last")).isEqualTo(10);
      assertThat(world.head().get("gone")).isEqualTo(List.of(3L));
      assertThat(world.join(3).ticket()).isEqualTo(10);
    }
  }

  @Test
  void aNewEpochRevokesEverythingAndKeepsThePlacesOfThoseWhoWait() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor inside = world.join(1);
      Visitor waiting = world.join(2);
      world.move();
      EntryOutcome.Admitted pass = world.pass(inside);
      var _ = world.rooms.rooms().beginEpoch(world.id, "test");
      world.move();
      assertThat(world.rooms.service().pass(world.room(), pass.token())).isEmpty();
      assertThat(world.tryEnter(waiting)).isEqualTo("INVALID_PLACE_TOKEN");
      Visitor again = world.join(2);
      assertThat(again.ticket()).isEqualTo(waiting.ticket());
      Eventually.await(
          "the waiting one enters",
          () -> {
            world.move();
            return world.tryEnter(again).equals("ENTER");
          });
      assertThat(world.join(1).ticket()).isEqualTo(2);
    }
  }

  @Test
  void aRestartedNodeGoesOnWhereTheOthersWere() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(2, 1_000, ""))) {
      for (int browser = 0; browser < 5; browser++) {
        world.join(browser);
      }
      world.move();
      try (RoomWorld restarted = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
        restarted.move();
        assertThat(restarted.rooms.loop().node(world.id).moved())
            .satisfies(moved -> assertThat(moved.cursor()).isEqualTo(2))
            .satisfies(moved -> assertThat(moved.tickets()).isEqualTo(5));
        assertThat(restarted.tryEnter(restarted.join(0))).isEqualTo("ENTER");
        assertThat(restarted.tryEnter(restarted.join(4))).isEqualTo("NOT_YOUR_TURN");
      }
    }
  }

  @Test
  void aStateLostByRedisLetsNobodyInWithAnOldPlace() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(10, 1_000, ""))) {
      Visitor visitor = world.join(1);
      Eventually.await(
          "PostgreSQL knows that the state exists",
          () ->
              world.rooms.rooms().stored().stream()
                  .noneMatch(it -> it.room().id().equals(world.id) && it.mayCreate()));
      var _ = world.redis.send("DEL", new RoomStateKeys(world.id).state()).await();
      world.move();
      world.move();
      assertThat(world.room().epoch()).isEqualTo(2);
      assertThat(world.tryEnter(visitor)).isEqualTo("INVALID_PLACE_TOKEN");
    }
  }

  @Test
  void standbyTurnsOnWhenArrivalsExceedTheRateAndOffWhenNobodyWaits() {
    String standby =
        """
        {"hosts": ["shop.example"], "mode": "standby", "capacity": 1000000, "rate": 5,
         "challenge": false}
        """;
    RoomConfig config =
        new RoomConfig(
            Duration.ofMinutes(5),
            RoomWorld.LONG,
            Duration.ZERO,
            Duration.ofMinutes(2),
            RoomWorld.LONG);
    try (RoomWorld world = RoomWorld.open(standby, config)) {
      RoomService service = world.rooms.service();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OFF);
      assertThat(world.take(1)).isInstanceOf(TicketOutcome.Refused.class);
      EntryOutcome.Admitted pass = service.walkIn(world.room()).await().orElseThrow();
      assertThat(service.pass(world.room(), pass.token())).isPresent();
      long second = Instant.now().getEpochSecond();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("SET", "room:{" + world.id + "}:arrivals:" + at, "6").await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OPEN);
      assertThat(service.walkIn(world.room()).await()).isEmpty();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("DEL", "room:{" + world.id + "}:arrivals:" + at).await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OFF);
    }
  }

  @Test
  void theOrderBeforeAnOpeningIsDrawnAndEverybodyKeepsOnePlace() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String shuffle = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, shuffle.formatted(opens)))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 50; browser++) {
        all.add(world.join(browser));
      }
      assertThat(world.rooms.service().leave(world.room(), world.possession(all.get(7))).await())
          .isNull();
      world.freshHead();
      assertThat(world.head().get("phase")).isEqualTo("before");
      world.put(RoomWorld.on(1, 0.01, shuffle.formatted(Instant.now().minusSeconds(1))));
      world.move();
      world.freshHead();
      JsonObject drawn = (JsonObject) world.head().get("drawn");
      assertThat(drawn).isNotNull();
      assertThat(drawn.get("n")).isEqualTo(50L);
      RoomNode node = world.rooms.loop().node(world.id);
      TreeSet<Long> places = new TreeSet<>();
      all.forEach(visitor -> places.add(node.drawn(visitor.ticket())));
      assertThat(places).hasSize(50).allMatch(place -> place < 50);
      assertThat(all).anyMatch(visitor -> node.drawn(visitor.ticket()) != visitor.ticket());
      assertThat(world.join(60).ticket()).isEqualTo(50);
      assertThat(world.join(3).ticket()).isEqualTo(all.get(3).ticket());
      assertThat(world.join(7).ticket()).isEqualTo(51);
      GoneTickets gone = GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0).await();
      assertThat(gone.isGone((int) node.drawn(7))).isTrue();
      Visitor first =
          all.stream().filter(it -> node.drawn(it.ticket()) == 0).findFirst().orElseThrow();
      Visitor last =
          all.stream().filter(it -> node.drawn(it.ticket()) == 49).findFirst().orElseThrow();
      assertThat(world.tryEnter(last)).isNotEqualTo("ENTER");
      if (!first.equals(all.get(7))) {
        assertThat(world.tryEnter(first)).isEqualTo("ENTER");
      }
    }
  }

  @Test
  void theHeadTellsUpToWhichTicketTheStockProbablyLasts() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      for (int browser = 0; browser < 100; browser++) {
        world.join(browser);
      }
      world.move();
      RoomStock.Known known =
          world.rooms.stock().report(world.id, 20, java.util.OptionalDouble.of(0.5)).await();
      assertThat(known).isEqualTo(new RoomStock.Known(20, 0.5));
      world.freshHead();
      JsonObject stock = (JsonObject) world.head().get("stock");
      assertThat(stock.get("left")).isEqualTo(20L);
      assertThat(stock.get("p50")).isEqualTo(world.number("cursor") + 40);
      assertThat((Long) stock.get("p90")).isGreaterThan((Long) stock.get("p50")).isLessThan(60);
      Void _ = world.rooms.stock().forget(world.id).await();
      world.freshHead();
      assertThat(world.head().has("stock")).isFalse();
    }
  }

  @Test
  void theHeadIsSignedAndTheSameOnAllNodes() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""));
        RoomWorld other = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
      world.join(1);
      world.freshHead();
      other.move();
      byte[] head = world.rooms.loop().node(world.id).headBytes();
      assertThat(other.rooms.loop().node(world.id).headBytes()).isEqualTo(head);
      String text = new String(head, StandardCharsets.UTF_8);
      String signature = String.valueOf(world.head().get("sig"));
      String signed = text.replace(",\"sig\":\"" + signature + "\"", "");
      assertThat(
              world
                  .rooms
                  .tokens()
                  .verifyHead(world.id, signed.getBytes(StandardCharsets.UTF_8), signature))
          .isTrue();
      assertThat(
              world
                  .rooms
                  .tokens()
                  .verifyHead(
                      world.id,
                      signed
                          .replace("\"cursor\":", "\"cursor\":9")
                          .getBytes(StandardCharsets.UTF_8),
                      signature))
          .isFalse();
    }
  }
}
