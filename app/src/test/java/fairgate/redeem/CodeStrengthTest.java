package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.CodeUpkeep;
import fairgate.redeem.code.CodeVault;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// How hard codes are to guess, as operators see it without asking: a gauge, and one warning.
class CodeStrengthTest {
  private static final Pattern GAUGE =
      Pattern.compile("^fairgate_redeem_guess_bits ([\\d.]+)$", Pattern.MULTILINE);

  @Test
  void theGaugeFallsWithEveryCodeAndBelowFortyThereIsOneWarning() {
    Logger logger = (Logger) LoggerFactory.getLogger(CodeUpkeep.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    try (RedeemTestServer shop = RedeemTestServer.open(Map.of())) {
      shop.product("basic", 30);
      claims(shop, 0, 8);
      logger.addAppender(log);
      shop.withDatabase(
          (vertx, postgres) -> {
            Metrics metrics = new Metrics();
            CodeVault vault = new CodeVault(new KeyRing("k1", Map.of("k1", new byte[32])));
            CodeStrength strength =
                new CodeStrength(postgres, _ -> CodeMask.of("MHYDET-XXXXXX-XXXX"));
            try (CodeUpkeep upkeep =
                new CodeUpkeep(postgres, vault, strength, InstantSource.system(), metrics)) {
              upkeep.look();
              assertThat(bits(metrics)).isBetween(40.1, 40.2);
              assertThat(warnings(log)).isEmpty();
              claims(shop, 8, 10);
              upkeep.look();
              upkeep.look();
              assertThat(bits(metrics)).isBetween(39.7, 39.8);
              assertThat(warnings(log)).hasSize(1).first().asString().contains("redeem.code_mask");
            }
          });
    } finally {
      logger.detachAppender(log);
    }
  }

  /// A master secret without the key that codes lie under: neither the gauge nor the log may say
  /// that all is well.
  @Test
  void codesUnderAKeyThatIsMissingAreCountedAndTheKeyIsNamed() {
    Logger logger = (Logger) LoggerFactory.getLogger(CodeUpkeep.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    try (RedeemTestServer shop = RedeemTestServer.open(Map.of())) {
      shop.product("basic", 3);
      claims(shop, 0, 2);
      logger.addAppender(log);
      shop.withDatabase(
          (vertx, postgres) -> {
            Metrics metrics = new Metrics();
            CodeVault vault = new CodeVault(new KeyRing("k9", Map.of("k9", new byte[32])));
            CodeStrength strength =
                new CodeStrength(postgres, _ -> CodeMask.of("MHYDET-XXXXXX-XXXX"));
            try (CodeUpkeep upkeep =
                new CodeUpkeep(postgres, vault, strength, InstantSource.system(), metrics)) {
              assertThat(metrics.scrape()).contains("fairgate_redeem_codes_under_old_keys NaN");
              upkeep.look();
              upkeep.look();
              assertThat(metrics.scrape()).contains("fairgate_redeem_codes_under_old_keys 2.0");
            }
          });
      assertThat(List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage))
          .filteredOn(text -> text.contains("master_secret lacks keys"))
          .singleElement()
          .asString()
          .contains("=2");
    } finally {
      logger.detachAppender(log);
    }
  }

  private static void claims(RedeemTestServer shop, int from, int to) {
    for (int i = from; i < to; i++) {
      String order = "TB6026010800%04d".formatted(i);
      shop.order("taobao", order, "basic", "paid");
      assertThat(shop.claim(order, "basic", "mine", "").code()).isNotEmpty();
    }
  }

  private static double bits(Metrics metrics) {
    Matcher gauge = GAUGE.matcher(metrics.scrape());
    assertThat(gauge.find()).isTrue();
    return Double.parseDouble(gauge.group(1));
  }

  private static List<String> warnings(ListAppender<ILoggingEvent> log) {
    return List.copyOf(log.list).stream()
        // Not those of the server, which looks by itself.
        .filter(event -> !event.getThreadName().equals("code-look"))
        .map(ILoggingEvent::getFormattedMessage)
        .filter(text -> text.contains("easy to guess"))
        .toList();
  }
}
