package fairgate.line;

import fairgate.line.Inbox.Taken;
import fairgate.line.Inbox.Word;
import fairgate.line.api.LineClient;
import fairgate.line.api.LineMessage;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Talk;
import fairgate.platform.lock.ActorKey;
import fairgate.platform.lock.LockOutcome;
import fairgate.platform.lock.ProcessingLock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Works on events, on the threads of their chats' queues.
///
/// What asks for something takes the actor's processing lock and is worked on beside the queue, so
/// that the chat's next event is looked at while it runs, finds the lock taken, and gets the notice
/// instead of an answer. Everything else is done in the queue, one after the other; without locks
/// all is.
final class EventWorker {
  private static final Logger LOG = LoggerFactory.getLogger(EventWorker.class);
  private static final Duration STALE = Duration.ofHours(1);

  /// Events worked on at a time; each holds a few calls to the outside.
  private static final int MOST = 256;

  /// LINE takes 100 a second; the animation is not worth a refusal.
  private static final int LOADINGS_A_SECOND = 50;

  private final Inbox inbox;
  private final ProcessingLock lock;
  private final LineConfig.Locks locks;
  private final Talk talk;
  private final Delivery delivery;
  private final LineClient client;
  private final Clock clock;
  private final Semaphore free = new Semaphore(MOST);
  private final AtomicInteger working = new AtomicInteger();
  private final PerSecond loadings = new PerSecond(LOADINGS_A_SECOND);

  EventWorker(
      Inbox inbox,
      ProcessingLock lock,
      LineConfig.Locks locks,
      Talk talk,
      Delivery delivery,
      LineClient client,
      Clock clock) {
    this.inbox = inbox;
    this.lock = lock;
    this.locks = locks;
    this.talk = talk;
    this.delivery = delivery;
    this.client = client;
    this.clock = clock;
  }

  /// Events that are worked on beside their queues.
  int size() {
    return working.get();
  }

  /// One event, when its turn in its chat has come.
  void work(Taken taken) {
    LineEvent event = taken.event();
    if (taken.again() && clock.millis() - event.at() > STALE.toMillis()) {
      var _ = delivery.settled(taken, Delivery.End.STALE);
      return;
    }
    if (!talk.concerns(event.chat(), event.incoming())) {
      var _ = delivery.settled(taken, Delivery.End.SILENT);
      return;
    }
    Optional<String> key = key(event);
    if (key.isEmpty()) {
      answer(taken);
      return;
    }
    Duration life = locks.life(event.incoming());
    switch (lock.tryAcquireLock(key.get(), life).await()) {
      case LockOutcome.Acquired(var lease) -> {
        working.incrementAndGet();
        var _ =
            lock.whileLocked(lease, life, () -> beside(taken))
                .onComplete(_ -> working.decrementAndGet());
      }
      case LockOutcome.Busy(boolean first) -> busy(taken, first);
    }
  }

  /// The name of the lock the event needs; empty where it needs none.
  private Optional<String> key(LineEvent event) {
    Chat chat = event.chat();
    if (!event.incoming().isLocked() || !locks.enabled() || locks.isExempt(chat)) {
      return Optional.empty();
    }
    Optional<String> key = ActorKey.buildActorKey(chat.userId(), chat.groupId(), chat.roomId());
    if (key.isEmpty()) {
      LOG.warn("event {} has no source; it is worked on without a lock", event.id());
    }
    return key;
  }

  private void busy(Taken taken, boolean first) {
    if (taken.again()) {
      // It had its turn before and was interrupted: it is owed an answer, not a notice.
      boolean _ = inbox.mark(taken, Word.LATER);
      return;
    }
    LineEvent event = taken.event();
    send(taken, first ? talk.notice(event.chat(), event.incoming()) : List.of());
  }

  private Future<Void> beside(Taken taken) {
    Promise<Void> done = Promise.promise();
    var _ =
        Thread.ofVirtual()
            .name("line-work")
            .start(
                () -> {
                  try {
                    answer(taken);
                  } finally {
                    done.complete();
                  }
                });
    return done.future();
  }

  private void answer(Taken taken) {
    LineEvent event = taken.event();
    free.acquireUninterruptibly();
    try {
      // Asking the weather is in vain where the answer cannot be sent.
      if (delivery.isInDoubt(taken)) {
        var _ = delivery.giveUp(taken);
        return;
      }
      loading(event);
      send(taken, talk.answer(event.chat(), event.incoming()));
    } finally {
      free.release();
    }
  }

  private void loading(LineEvent event) {
    String user = event.chat().userId();
    if (user != null
        && event.chat().isPrivate()
        && talk.takesTime(event.chat(), event.incoming())
        && loadings.take(clock.millis())) {
      var _ = Thread.ofVirtual().name("line-loading").start(() -> client.loading(user));
    }
  }

  private void send(Taken taken, List<LineMessage> answer) {
    try {
      Delivery.End end = delivery.deliver(taken, answer);
      LOG.debug("event {}: {}", taken.event().id(), end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      inbox.letGo(taken);
    }
  }

  /// So many a second, all callers together.
  private static final class PerSecond {
    private final int most;
    private long second;
    private int used;

    PerSecond(int most) {
      this.most = most;
    }

    synchronized boolean take(long nowMs) {
      long now = nowMs / 1000;
      used = now == second ? used + 1 : 1;
      second = now;
      return used <= most;
    }
  }
}
