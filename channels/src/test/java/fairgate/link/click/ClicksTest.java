package fairgate.link.click;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import fairgate.link.click.Clicks.ClickBatch;
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
  private final Map<String, Clicks.ClickCounter> counters = new ConcurrentHashMap<>();

  private static ClientAddress address(int last) {
    return Objects.requireNonNull(ClientAddress.parse("10.0.0." + last));
  }

  private void click(String code, ClientAddress address, String agent, boolean bot, long nowMs) {
    clicks.add(counters.computeIfAbsent(code, clicks::newCounter), address, agent, bot, nowMs);
  }

  private static long people(ClickBatch batch) {
    return batch.countsByHour().values().stream().mapToLong(Clicks.ClickCounts::people).sum();
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
    assertThat(clicks.take().countsByHour()).isEmpty();
  }

  @Test
  void whatCouldNotBeWrittenComesBack() {
    click("a", address(1), "agent", false, 1_000);
    click("a", address(1), "agent", true, 1_000);
    ClickBatch batch = clicks.take();
    click("a", address(1), "agent", false, 1_000);
    clicks.giveBack(batch);
    ClickBatch again = clicks.take();
    assertThat(people(again)).isEqualTo(2);
    assertThat(again.countsByHour().values())
        .extracting(Clicks.ClickCounts::bots)
        .containsExactly(1L);
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
    ClickBatch batch = clicks.take();
    assertThat(batch.countsByHour()).hasSize(2);
    assertThat(batch.countsByHour().get(new Clicks.LinkHour("a", 0)))
        .extracting(Clicks.ClickCounts::people)
        .isEqualTo(1L);
    assertThat(batch.countsByHour().get(new Clicks.LinkHour("a", 3_600_000)))
        .extracting(Clicks.ClickCounts::people)
        .isEqualTo(2L);
    assertThat(batch.visitors()).hasSize(2);
  }

  @Test
  void spotsOfOneLinkCountTogether() {
    for (int i = 0; i < 3; i++) {
      clicks.add(clicks.newCounter("a"), address(1), "agent", false, 1_000);
    }
    ClickBatch batch = clicks.take();
    assertThat(people(batch)).isEqualTo(3);
    assertThat(batch.countsByHour()).hasSize(1);
    assertThat(batch.visitors()).hasSize(1);
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
    assertThat(bots.isBot("line-poker/1.0", null)).isTrue();
    assertThat(bots.isBot("Cardyb/1.1", null)).isTrue();
    assertThat(bots.isBot("axios/1.7.2", null)).isTrue();
    assertThat(bots.isBot("", null)).isTrue();
    assertThat(bots.isBot("Mozilla/5.0 (iPhone)", "prefetch;prerender")).isTrue();
    assertThat(bots.isBot("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", null)).isFalse();
  }
}
