package fairgate.gate.ban;

import static fairgate.gate.ban.BanNode.address;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.gate.ban.CrowdsecFeed.CrowdsecClient;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.Caller;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeCrowdsec;
import fairgate.testkit.MmdbFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrowdsecFeedTest {
  @TempDir private static Path folder;

  private final FakeCrowdsec crowdsec = FakeCrowdsec.start();
  private final GateFixture fixture = new GateFixture();
  private final Networks networks = networks();
  private final BanLists lists = new BanLists(fixture.keys, networks);
  private CrowdsecFeed feed = feed(FakeCrowdsec.KEY);

  private static Networks networks() {
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile().asn("192.0.2.44/32", 64_500).write(asns);
    Path countries = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("192.0.2.55/32", Map.of("country", Map.of("iso_code", "TW")))
        .write(countries);
    return Networks.open(Networks.Config.none().withAsns(asns).withCountries(countries));
  }

  private CrowdsecFeed feed(String key) {
    return new CrowdsecFeed(
        new BanService.Config.Crowdsec(crowdsec.url() + "/", key, Duration.ofMillis(10)),
        lists,
        fixture.clock,
        new Metrics());
  }

  @AfterEach
  void close() {
    feed.close();
    networks.close();
    crowdsec.close();
    fixture.close();
  }

  private boolean banned(String address) {
    Caller caller = new Caller(address(address), "", null, null, null);
    return lists.find(caller.address(), () -> caller, fixture.clock.millis()) != null;
  }

  @Test
  void decisionsAreAddedAndRemoved() {
    crowdsec.decide("Ip", "203.0.113.9", "ban", "3h59m12.345678901s");
    crowdsec.decide("Range", "198.51.100.0/24", "ban", "4h");
    crowdsec.decide("Range", "0.0.0.0/0", "ban", "4h");
    crowdsec.decide("Range", "::ffff:0:0/96", "ban", "4h");
    crowdsec.decide("Range", "2000::/3", "ban", "4h");
    crowdsec.decide("Ip", "203.0.113.10", "captcha", "4h");
    crowdsec.decide("Country", "TW", "ban", "4h");
    crowdsec.decide("Country", "XX", "ban", "4h");
    crowdsec.decide("Ip", "not an address", "ban", "4h");
    crowdsec.decide("Ip", "203.0.113.11", "ban", "-12s");
    crowdsec.decide("AS", "64500", "ban", "4h");
    feed.start();
    Eventually.await("the first answer", () -> banned("203.0.113.9"));
    assertThat(banned("198.51.100.77")).isTrue();
    assertThat(banned("203.0.113.10")).isFalse();
    assertThat(banned("203.0.113.11")).isFalse();
    assertThat(banned("192.0.2.44")).isTrue();
    assertThat(banned("192.0.2.55")).isTrue();
    assertThat(lists.feed().size()).isEqualTo(4);

    crowdsec.decide("ip", "2001:db8::7", "BAN", "1h");
    Eventually.await("a later decision", () -> banned("2001:db8::7"));
    crowdsec.delete("Range", "198.51.100.0/24");
    Eventually.await("a deleted one", () -> !banned("198.51.100.77"));
    assertThat(banned("203.0.113.9")).isTrue();
    assertThat(feed.status()).isEqualTo(Health.Status.good());
    fixture.clock.advance(Duration.ofHours(4));
    assertThat(banned("203.0.113.9")).isFalse();
  }

  @Test
  void decisionsStayWhileTheApiIsAway() {
    crowdsec.decide("Ip", "203.0.113.9", "ban", "4h");
    feed.start();
    Eventually.await("the first answer", () -> banned("203.0.113.9"));
    for (String broken : new String[] {"", "[1, 2]", "{\"new\": ", "\"text\""}) {
      crowdsec.answer(broken);
      Eventually.await("trouble is seen", () -> feed.status().degraded());
      assertThat(banned("203.0.113.9")).isTrue();
      crowdsec.answer(null);
      Eventually.await("it is over", () -> !feed.status().degraded());
    }
    crowdsec.delete("Ip", "203.0.113.9");
    Eventually.await("changes are followed again", () -> !banned("203.0.113.9"));
  }

  @Test
  void aWrongApiKeyIsReported() {
    feed = feed("wrong");
    feed.start();
    Eventually.await("refused", () -> feed.status().detail().contains("key"));
    assertThat(crowdsec.asked()).isZero();
  }

  @Test
  void nullAndMalformedListsAreAccepted() throws Exception {
    ObjectMapper json = new ObjectMapper();
    for (String reply :
        new String[] {
          "null",
          "{}",
          "{\"new\": null, \"deleted\": null}",
          "{\"new\": [null, 7, {}, {\"type\": \"ban\"}], \"deleted\": [{\"value\": []}]}"
        }) {
      CrowdsecClient.Decisions decisions = CrowdsecClient.Decisions.read(json.readTree(reply), 0);
      assertThat(decisions.fresh()).isEmpty();
      assertThat(decisions.gone()).isEmpty();
    }
  }
}
