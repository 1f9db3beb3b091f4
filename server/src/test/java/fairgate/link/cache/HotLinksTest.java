package fairgate.link.cache;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.link.cache.LinkEntry.State;
import fairgate.link.click.Clicks;
import fairgate.link.code.LinkCode;
import fairgate.platform.observe.Metrics;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HotLinksTest {
  private static final String CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_";

  private final HotLinks hot = new HotLinks();
  private final Clicks clicks = new Clicks(new Metrics());

  private Lookup.Hit hit(String code) {
    LinkEntry entry = LinkEntry.of(code, "https://example.com/", 302, 0, 0, State.ACTIVE, 1);
    return new Lookup.Hit(entry, clicks.spot(code), 0);
  }

  private void keep(Lookup.Hit hit) {
    HotLinks.keep(hot.places(), hit);
  }

  private Lookup.@Nullable Hit find(String code) {
    return HotLinks.find(hot.places(), HotLinks.pack(code));
  }

  /// All codes of one and two characters, and many longer ones.
  @Test
  void differentCodesAreDifferentNumbers() {
    Map<Long, String> seen = new HashMap<>();
    Random chance = new Random(1);
    Stream<String> one = CHARACTERS.chars().mapToObj(c -> String.valueOf((char) c));
    Stream<String> two =
        CHARACTERS.chars().boxed().flatMap(a -> CHARACTERS.chars().mapToObj(b -> text(a, b)));
    Stream<String> longer =
        Stream.generate(
                () ->
                    chance
                        .ints(3 + chance.nextInt(8), 0, CHARACTERS.length())
                        .mapToObj(i -> CHARACTERS.substring(i, i + 1))
                        .reduce("", String::concat))
            .limit(50_000);
    Stream.of(one, two, longer)
        .flatMap(part -> part)
        .forEach(
            code -> {
              String other = seen.put(HotLinks.pack(code), code);
              assertThat(other).isIn(null, code);
            });
    assertThat(seen).doesNotContainKey(0L);
  }

  private static String text(int a, int b) {
    return "" + (char) a + (char) b;
  }

  @Test
  void aLinkIsFoundByItsCodeAlone() {
    Lookup.Hit hit = hit("abc");
    keep(hit);
    assertThat(find("abc")).isSameAs(hit);
    assertThat(find("abd")).isNull();
  }

  @Test
  void nearlyAllOfTenThousandInDemandAreHere() {
    SecureRandom chance = new SecureRandom();
    List<Lookup.Hit> all =
        Stream.generate(() -> hit(LinkCode.random(chance).value())).limit(10_000).toList();
    all.forEach(this::keep);
    assertThat(all.stream().filter(hit -> hit.equals(find(hit.entry().code()))).count())
        .isGreaterThan(9_700);
  }

  @Test
  void aLinkThatWasReplacedOrForgottenIsNotFound() {
    Lookup.Hit hit = hit("abc");
    keep(hit);
    hit.end();
    assertThat(find("abc")).isNull();
    Lookup.Hit next = hit("abc");
    keep(next);
    assertThat(find("abc")).isSameAs(next);
    var before = hot.places();
    hot.clear();
    assertThat(find("abc")).isNull();
    HotLinks.keep(before, next);
    assertThat(find("abc")).as("brought by somebody who looked before").isNull();
  }

  @Test
  void longCodesAreLeftToTheOthers() {
    Lookup.Hit hit = hit("abcdefghijk");
    keep(hit);
    assertThat(find("abcdefghijk")).isNull();
  }
}
