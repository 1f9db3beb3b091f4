package fairgate.gate.limit;

import static fairgate.gate.limit.LimitWorld.key;
import static fairgate.gate.limit.LimitWorld.limit;
import static fairgate.gate.limit.LimitWorld.rate;
import static fairgate.gate.limit.LimitWorld.window;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitFacts.Nonce;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class LimitScriptTest {
  private static final long SECOND = 1_000_000;

  private final LimitWorld world = new LimitWorld();
  private final String key = key();

  private String value(String name) {
    return world.send("GET", name).text();
  }

  private long lifeMillis(String name) {
    return world.send("PTTL", name).number();
  }

  @Test
  void aRateGrantsItsBurstAndThenOneEveryInterval() {
    Limit five = limit(rate(5, 3_600, 5), key);
    Answer all = world.ask(5, five);
    assertThat(all.granted()).isEqualTo(5);
    assertThat(all.waitOf(0)).isZero();
    Answer none = world.ask(1, five);
    assertThat(none.granted()).isZero();
    assertThat(none.waitOf(0)).isBetween(1L, 720 * SECOND);
    world.idleIn(key, 4 * 720 * SECOND);
    assertThat(world.ask(1, five).granted()).isEqualTo(1);
  }

  @Test
  void aRateTellsTheWaitToTheMicrosecond() {
    Limit slow = limit(rate(1, 60, 1), key);
    assertThat(world.ask(1, slow).granted()).isEqualTo(1);
    long before = world.now();
    long wait = world.ask(1, slow).waitOf(0);
    assertThat(world.idleAt(key) - wait).isBetween(before, world.now());
  }

  @Test
  void aRateWithoutAWholeIntervalLosesNothing() {
    // A seventh of a second is no whole number of microseconds; seven of them are a second.
    Limit seventh = limit(rate(7, 1, 1_000), key);
    // Whole seconds in advance, so that the key is never idle in between.
    assertThat(world.ask(490, seventh).granted()).isEqualTo(490);
    long start = world.idleAt(key);
    for (int i = 0; i < 70; i++) {
      assertThat(world.ask(1, seventh).granted()).isEqualTo(1);
    }
    assertThat(world.idleAt(key)).isEqualTo(start + 10 * SECOND);
    assertThat(value(key)).doesNotContain(":");
    assertThat(world.ask(1, seventh).granted()).isEqualTo(1);
    assertThat(value(key)).isEqualTo(start + 10 * SECOND + SECOND / 7 + ":1");
  }

  @Test
  void aWindowGrantsSoManyInAnySuchTime() {
    Limit three = limit(window(3, 60), key);
    assertThat(world.ask(2, three).granted()).isEqualTo(2);
    assertThat(world.ask(2, three).granted()).isEqualTo(1);
    Answer none = world.ask(1, three);
    assertThat(none.granted()).isZero();
    long first = world.times(key).getFirst();
    assertThat(none.waitOf(0)).isBetween(first + 60 * SECOND - world.now(), 60 * SECOND);
    assertThat(world.times(key)).hasSize(3);
  }

  @Test
  void aWindowForgetsACallWhenItIsSoOld() {
    long now = world.now();
    world.times(key, List.of(now - 61 * SECOND, now - 60 * SECOND, now - 5 * SECOND));
    Limit three = limit(window(3, 60), key);
    Answer some = world.ask(9, three);
    assertThat(some.granted()).isEqualTo(2);
    assertThat(some.waitOf(0)).isBetween(25 * SECOND, 55 * SECOND);
    assertThat(world.times(key)).hasSize(3).startsWith(now - 5 * SECOND);
  }

  @Test
  void aLoweredWindowWaitsForAllThatAreTooMany() {
    long now = world.now();
    world.times(key, List.of(now - 40 * SECOND, now - 30 * SECOND, now - 20 * SECOND));
    Answer none = world.ask(1, limit(window(1, 60), key));
    assertThat(none.granted()).isZero();
    assertThat(none.waitOf(0)).isBetween(10 * SECOND, 40 * SECOND);
  }

  @Test
  void whatMayBeUsedOnceIsRefusedAfterwards() {
    Limit once = Limit.of(new Nonce(key, 60_000));
    assertThat(world.ask(1, once).granted()).isEqualTo(1);
    assertThat(lifeMillis(key)).isBetween(50_000L, 60_000L);
    Answer again = world.ask(1, once);
    assertThat(again.granted()).isZero();
    assertThat(again.waitOf(0)).isPositive();
    assertThat(world.send("DEL", key).number()).isEqualTo(1);
    assertThat(world.ask(1, once).granted()).isEqualTo(1);
  }

  @Test
  void aCallCountsInAllItsLimitsOrInNone() {
    String narrow = key();
    String wide = key();
    String nonce = key();
    Limit[] limits = {
      limit(rate(5, 3_600, 5), wide),
      limit(window(1, 60), narrow),
      Limit.of(new Nonce(nonce, 60_000))
    };
    assertThat(world.ask(1, limit(window(1, 60), narrow)).granted()).isEqualTo(1);
    Answer refused = world.ask(1, limits);
    assertThat(refused.granted()).isZero();
    assertThat(refused.waitOf(0)).isZero();
    assertThat(refused.waitOf(1)).isPositive();
    assertThat(refused.waitOf(2)).isZero();
    assertThat(world.send("EXISTS", wide, nonce).number()).isZero();
    assertThat(world.send("DEL", narrow).number()).isEqualTo(1);
    assertThat(world.ask(1, limits).granted()).isEqualTo(1);
    assertThat(world.send("EXISTS", wide, nonce, narrow).number()).isEqualTo(3);
  }

  @Test
  void aReplayUsesNoQuota() {
    String wide = key();
    Limit[] limits = {limit(rate(5, 3_600, 5), wide), Limit.of(new Nonce(key, 60_000))};
    assertThat(world.ask(1, limits).granted()).isEqualTo(1);
    String before = value(wide);
    Answer again = world.ask(1, limits);
    assertThat(again.waitOf(0)).isZero();
    assertThat(again.waitOf(1)).isPositive();
    assertThat(value(wide)).isEqualTo(before);
  }

  @Test
  void itemsOfOneRunSeeEachOther() {
    Limit two = limit(rate(2, 60, 2), key);
    Limit other = limit(rate(1, 60, 1), key());
    List<Answer> answers =
        world.ask(
            new Item(1, List.of(two, other)),
            new Item(1, List.of(two, other)),
            new Item(2, List.of(two)));
    assertThat(answers).extracting(Answer::granted).containsExactly(1, 0, 1);
    assertThat(answers.get(1).waitOf(0)).isZero();
    assertThat(answers.get(1).waitOf(1)).isPositive();
    assertThat(answers.get(2).waitOf(0)).isPositive();
  }

  @Test
  void aKeyLivesUntilItSaysNothingAnyMore() {
    assertThat(world.ask(2, limit(rate(1, 10, 2), key)).granted()).isEqualTo(2);
    assertThat(lifeMillis(key)).isBetween(1L, 20_000L);
    String other = key();
    assertThat(world.ask(1, limit(window(5, 30), other)).granted()).isEqualTo(1);
    assertThat(lifeMillis(other)).isBetween(1L, 30_000L);
  }

  @Test
  void aRefusedCallWritesNothing() {
    Limit one = limit(rate(1, 60, 1), key);
    assertThat(world.ask(1, one).granted()).isEqualTo(1);
    String before = value(key);
    for (int i = 0; i < 10; i++) {
      assertThat(world.ask(1, one).granted()).isZero();
    }
    assertThat(value(key)).isEqualTo(before);
  }

  @Test
  void aClockThatSteppedBackDoesNotShutAnybodyOut() {
    // What the key says lies an hour ahead: then it is full now, and drains as usual.
    Limit five = limit(rate(5, 60, 5), key);
    world.idleIn(key, 3_600 * SECOND);
    Answer none = world.ask(1, five);
    assertThat(none.granted()).isZero();
    assertThat(none.waitOf(0)).isEqualTo(12 * SECOND);
    assertThat(world.idleAt(key) - world.now()).isBetween(0L, 60 * SECOND);
    String other = key();
    long ahead = world.now() + 3_600 * SECOND;
    long past = world.now() - 10 * SECOND;
    world.times(other, List.of(past, ahead, ahead + 1));
    Answer full = world.ask(1, limit(window(3, 60), other));
    assertThat(full.granted()).isZero();
    assertThat(full.waitOf(0)).isBetween(20 * SECOND, 50 * SECOND);
    assertThat(world.times(other)).hasSize(3).allMatch(time -> time <= world.now());
  }

  @Test
  void aRaisedLimitCountsAtOnce() {
    assertThat(world.ask(2, limit(rate(2, 60, 2), key)).granted()).isEqualTo(2);
    assertThat(world.ask(1, limit(rate(2, 60, 2), key)).waitOf(0)).isGreaterThan(20 * SECOND);
    assertThat(world.ask(1, limit(rate(60, 60, 60), key)).waitOf(0)).isBetween(0L, SECOND);
    assertThat(world.ask(1, limit(rate(60, 60, 120), key)).granted()).isEqualTo(1);
  }

  @Test
  void aKeyOfTheWrongTypePoisonsOnlyItsOwnItem() {
    assertThat(world.send("RPUSH", key, "x").number()).isEqualTo(1);
    assertThat(world.send("EXPIRE", key, "60").number()).isEqualTo(1);
    String fine = key();
    List<Answer> answers =
        world.ask(
            new Item(1, List.of(limit(rate(5, 60, 5), fine), limit(rate(5, 60, 5), key))),
            new Item(1, List.of(limit(rate(5, 60, 5), fine))));
    assertThat(answers).extracting(Answer::granted).containsExactly(-1, 1);
    assertThat(world.idleAt(fine) - world.now()).isBetween(0L, 12 * SECOND);
  }

  @Test
  void theLongestWindowIsCountedWell() {
    LimitRule rule = window(LimitRule.MOST_IN_WINDOW, LimitRule.LONGEST_SECONDS);
    long now = world.now();
    List<Long> times =
        LongStream.range(0, 1_000).mapToObj(i -> now - 86_400 * SECOND + i * 100 * SECOND).toList();
    world.times(key, times);
    Answer some = world.ask(500, limit(rule, key));
    assertThat(some.granted()).isEqualTo(1);
    assertThat(some.waitOf(0)).isBetween(40 * SECOND, 100 * SECOND);
  }

  @Test
  void anIdentityOfARateTakesAtMost72Bytes() {
    // MEMORY USAGE: the key, the value and their entry, as Redis counts them.
    for (String name : List.of("rl:ip:255.255.255.255", "rl:ip:20010db8ffffff")) {
      assertThat(world.ask(5, limit(rate(5, 3_600, 5), name)).granted()).isEqualTo(5);
      assertThat(world.send("MEMORY", "USAGE", name).number()).isBetween(48L, 72L);
      assertThat(world.send("OBJECT", "ENCODING", name).text()).isEqualTo("int");
      assertThat(world.send("DEL", name).number()).isEqualTo(1);
    }
  }
}
