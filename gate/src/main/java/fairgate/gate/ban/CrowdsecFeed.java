package fairgate.gate.ban;

import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Polls the decisions of a CrowdSec local API on a virtual thread. Only decisions of type `ban` on
/// an address, a range or an autonomous system count. Ranges that are too wide for operators to ban
/// do not.
///
/// It starts with all decisions and then polls for changes. It restarts regularly and after an
/// outage, because the API forgets what it has sent to whom. During an outage, the decisions stay
/// in force until they expire.
final class CrowdsecFeed implements AutoCloseable {
  static final int MAX_DECISIONS = 300_000;

  private static final Logger LOG = LoggerFactory.getLogger(CrowdsecFeed.class);
  private static final int POLLS_BETWEEN_RESTARTS = 60;

  private final CrowdsecClient client;
  private final BanLists lists;
  private final Clock clock;
  private final Counter failures;
  private final PeriodicJob job;
  private volatile String trouble = "not asked yet";
  private int pollsSinceRestart = POLLS_BETWEEN_RESTARTS;

  CrowdsecFeed(BanService.Config.Crowdsec config, BanLists lists, Clock clock, Metrics metrics) {
    this.client = new CrowdsecClient(config);
    this.lists = lists;
    this.clock = clock;
    this.failures =
        metrics.counter("fairgate_crowdsec_failures_total", "Questions CrowdSec did not answer");
    this.job = new PeriodicJob("crowdsec", config.every(), this::poll).withFirstPassAtOnce();
  }

  void start() {
    job.start();
  }

  Health.Status status() {
    return trouble.isEmpty() ? Health.Status.good() : Health.Status.worse(trouble);
  }

  private void poll() {
    boolean anew = pollsSinceRestart >= POLLS_BETWEEN_RESTARTS;
    try {
      CrowdsecClient.Decisions decisions = client.ask(anew, clock.millis());
      apply(decisions, anew);
      pollsSinceRestart = anew ? 0 : pollsSinceRestart + 1;
      if (!trouble.isEmpty()) {
        LOG.info("Following CrowdSec; decisions={}", lists.feed().size());
      }
      trouble = "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (CrowdsecClient.Refused e) {
      if (job.isStopping()) {
        return;
      }
      failures.increment();
      pollsSinceRestart = POLLS_BETWEEN_RESTARTS;
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(trouble)) {
        LOG.warn("CrowdSec request failed: {}", reason);
      }
      trouble = reason;
    }
  }

  private void apply(CrowdsecClient.Decisions decisions, boolean anew) {
    BanTable table = anew ? new BanTable() : lists.feed();
    decisions.gone().forEach(table::remove);
    int left = 0;
    int wide = 0;
    for (Ban ban : decisions.fresh()) {
      if (ban.subject().isTooWide()) {
        wide++;
      } else if (table.size() < MAX_DECISIONS || table.get(ban.subject()) != null) {
        Ban held = table.get(ban.subject());
        // Of two decisions on one subject, the later end counts.
        if (held == null || held.until() < ban.until()) {
          table.put(ban);
        }
      } else {
        left++;
      }
    }
    if (left > 0) {
      LOG.warn("CrowdSec sent too many decisions; skipped={}, limit={}", left, MAX_DECISIONS);
    }
    if (wide > 0) {
      LOG.warn("CrowdSec sent bans of networks that are too wide; skipped={}", wide);
    }
    lists.feed(table);
  }

  @Override
  public void close() {
    job.close();
    client.close();
  }
}
