package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.ServiceUnavailable;
import java.util.Collections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes expired data once an hour: contents by kind, then whole days.
final class AuditUpkeep implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditUpkeep.class);
  private static final long EVERY_NANOS = 3_600_000_000_000L;

  private final PostgresAuditReads store;
  private final AuditConfig config;
  private long next = System.nanoTime();

  AuditUpkeep(PostgresAuditReads store, AuditConfig config) {
    this.store = store;
    this.config = config;
  }

  @Override
  public void run() {
    if (System.nanoTime() - next < 0) {
      return;
    }
    next = System.nanoTime() + EVERY_NANOS;
    try {
      now();
    } catch (ServiceUnavailable e) {
      LOG.debug("Audit log upkeep is waiting for PostgreSQL", e);
    } catch (RuntimeException e) {
      LOG.error("Audit log upkeep failed", e);
    }
  }

  void now() {
    for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
      while (store.eraseOne(kind.word(), config.keep(kind))) {
        LOG.info("Erased expired audit contents; kind={}", kind.word());
      }
    }
    int longest = Collections.max(config.days().values());
    while (store.dropOne(longest)) {
      LOG.info("Dropped an expired day of the audit log");
    }
    store.forgetWriters();
  }
}
