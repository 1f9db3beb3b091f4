package fairgate.link.click;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import fairgate.link.click.Clicks.Harvest;
import fairgate.platform.observe.Metrics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClicksTest {
  private final Metrics metrics = new Metrics();
  private final Clicks clicks = new Clicks(metrics);
  private final Map<String, Clicks.Spot> spots = new ConcurrentHashMap<>();

  private static ClientAddress address(int last) {
    return Objects.requireNonNull(ClientAddress.parse("10.0.0." + last));
  }

  private void click(String code, ClientAddress address, String agent, boolean bot, long nowMs) {
    clicks.add(spots.computeIfAbsent(code, clicks::spot), address, agent, bot, nowMs);
  }

  private static long people(Harvest harvest) {
    return harvest.tallies().values().stream().mapToLong(Clicks.Tally::people).sum();
  }

  @Test
  void noClickOfManyThreadsIsLostOrCountedTwice() throws InterruptedException {
    List<Thread> threads =
        IntStream.range(0, 20)
            .mapToObj(
                t ->
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              for (int i = 0; i < 1_000; i++) {
                                click("c" + i % 7, address(t), "agent", false, 1_000);
                              }
                            }))
            .toList();
    long sum = 0;
    for (Thread thread : threads) {
      sum += people(clicks.take());
      thread.join();
    }
    assertThat(sum + people(clicks.take())).isEqualTo(20_000);
    assertThat(clicks.take().tallies()).isEmpty();
  }

  @Test
  void whatCouldNotBeWrittenComesBack() {
    click("a", address(1), "agent", false, 1_000);
    click("a", address(1), "agent", true, 1_000);
    Harvest harvest = clicks.take();
    click("a", address(1), "agent", false, 1_000);
    clicks.giveBack(harvest);
    Harvest again = clicks.take();
    assertThat(people(again)).isEqualTo(2);
    assertThat(again.tallies().values()).extracting(Clicks.Tally::bots).containsExactly(1L);
    assertThat(again.visitors()).hasSize(1);
  }

  @Test
  void whoComesAgainIsOneVisitorUntilTheNextHarvest() {
    for (int i = 0; i < 10; i++) {
      click("a", address(1), "agent", false, 1_000);
      click("a", address(2), "agent", false, 1_000);
      click("a", address(1), "another agent", false, 1_000);
      click("b", address(1), "agent", false, 1_000);
    }
    assertThat(clicks.take().visitors()).hasSize(4);
    click("a", address(1), "agent", false, 1_000);
    assertThat(clicks.take().visitors()).hasSize(1);
  }

  @Test
  void clicksCountInTheirHour() {
    click("a", address(1), "agent", false, 3_599_999);
    click("a", address(1), "agent", false, 3_600_000);
    click("a", address(1), "agent", false, 3_600_001);
    Harvest harvest = clicks.take();
    assertThat(harvest.tallies()).hasSize(2);
    assertThat(harvest.tallies().get(new Clicks.Place("a", 0)))
        .extracting(Clicks.Tally::people)
        .isEqualTo(1L);
    assertThat(harvest.tallies().get(new Clicks.Place("a", 3_600_000)))
        .extracting(Clicks.Tally::people)
        .isEqualTo(2L);
    assertThat(harvest.visitors()).hasSize(2);
  }

  @Test
  void spotsOfOneLinkCountTogether() {
    for (int i = 0; i < 3; i++) {
      clicks.add(clicks.spot("a"), address(1), "agent", false, 1_000);
    }
    Harvest harvest = clicks.take();
    assertThat(people(harvest)).isEqualTo(3);
    assertThat(harvest.tallies()).hasSize(1);
    assertThat(harvest.visitors()).hasSize(1);
  }

  @Test
  void memoryIsBoundedAndWhatIsDroppedIsCounted() {
    for (int i = 0; i < 200_500; i++) {
      click("c" + i, address(1), "agent", false, 1_000);
    }
    assertThat(people(clicks.take())).isEqualTo(200_000);
    assertThat(metrics.scrape()).contains("fairgate_link_clicks_lost_total 500.0");
  }

  @Test
  void programsSayWhatTheyAre() {
    Bots bots = new Bots();
    assertThat(bots.isBot("Mozilla/5.0 (compatible; Googlebot/2.1)", null)).isTrue();
    assertThat(bots.isBot("WhatsApp/2.2", null)).isTrue();
    assertThat(bots.isBot("", null)).isTrue();
    assertThat(bots.isBot("Mozilla/5.0 (iPhone)", "prefetch;prerender")).isTrue();
    assertThat(bots.isBot("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", null)).isFalse();
  }
}
