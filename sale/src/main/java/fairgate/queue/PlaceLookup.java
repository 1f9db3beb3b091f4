package fairgate.queue;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.kernel.Pass;
import fairgate.kernel.PassCodec;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the places of sessions: from the rank alone while a session is known to wait, otherwise
/// from the whole session. Issues the purchase tokens. Thread-safe; never blocks an event loop.
final class PlaceLookup {
  private final QueueScripts scripts;
  private final PassCodec passes;
  private final Ids ids;
  private final QueueAudit audit;
  private final @Nullable SessionPointers pointers;
  private final Function<ProductId, QueueService.Slot> slots;
  private final WaitingCache waiting = new WaitingCache(System::nanoTime);
  private volatile BiConsumer<SessionId, Duration> renewals = (_, _) -> {};

  /// @param pointers where a cluster finds sessions; null without a cluster
  PlaceLookup(
      QueueScripts scripts,
      PassCodec passes,
      Ids ids,
      QueueAudit audit,
      @Nullable SessionPointers pointers,
      Function<ProductId, QueueService.Slot> slots) {
    this.scripts = scripts;
    this.passes = passes;
    this.ids = ids;
    this.audit = audit;
    this.pointers = pointers;
    this.slots = slots;
  }

  void onRenewed(BiConsumer<SessionId, Duration> watcher) {
    renewals = watcher;
  }

  /// The next look reads the whole session.
  void forget(SessionId session) {
    waiting.remove(session);
  }

  /// The place of the session; empty if it is unknown. Records presence. A ready session gets its
  /// purchase token if the sale requires one.
  ///
  /// @param caller called only if a new token is issued
  Future<Optional<Place.View>> look(SessionId session, Supplier<Caller> caller) {
    ProductId waitsFor = waiting.product(session);
    return waitsFor == null
        ? all(session, caller)
        : scripts
            .rank()
            .run(slots.apply(waitsFor).ranks(), waitsFor, session)
            .compose(
                found -> {
                  if (found.isPresent()) {
                    return Future.succeededFuture(found);
                  }
                  waiting.remove(session);
                  return all(session, caller);
                });
  }

  private Future<Optional<Place.View>> all(SessionId session, Supplier<Caller> caller) {
    long askedAt = waiting.now();
    return place(session)
        .compose(
            found -> {
              found.ifPresent(place -> waiting.put(place, askedAt));
              found
                  .filter(Place::renewed)
                  .ifPresent(place -> renewals.accept(place.session(), place.sessionLife()));
              return withToken(found, caller);
            });
  }

  private Future<Optional<Place>> place(SessionId session) {
    SessionPointers all = pointers;
    return all == null
        ? scripts.status().run(session)
        : all.find(session)
            .compose(
                product ->
                    product
                        .map(id -> scripts.status().run(session, slots.apply(id).keys()))
                        .orElse(Future.succeededFuture(Optional.empty())))
            .compose(
                found ->
                    found.filter(Place::renewed).isPresent()
                        ? all.write(session, found.get().product(), found.get().sessionLife())
                            .map(found)
                        : Future.succeededFuture(found));
  }

  private Future<Optional<Place.View>> withToken(Optional<Place> found, Supplier<Caller> caller) {
    Place place = found.orElse(null);
    if (place == null) {
      return Future.succeededFuture(Optional.empty());
    }
    if (place.status() != Place.Status.READY_TO_PURCHASE || !place.tokenRequired()) {
      return Future.succeededFuture(Optional.of(new Place.View(place, null, 0)));
    }
    String nonce = ids.nonce();
    return scripts
        .issuePass()
        .run(slots.apply(place.product()).keys(), place, nonce)
        .map(
            issued -> {
              Pass pass = issued.orElse(null);
              if (pass == null) {
                return Optional.of(new Place.View(place, null, 0));
              }
              // A token in force is returned again; only a new one has our nonce.
              if (pass.nonce().equals(nonce)) {
                audit.issued(place.product(), caller.get().in(place.session()), nonce);
              }
              return Optional.of(new Place.View(place, passes.encode(pass), pass.expiresAt()));
            });
  }

  /// Caches the product of sessions that were waiting a moment ago. For these [RankScript] reads
  /// the position only, at less cost than [QueueScripts.StatusScript]. Entries expire after an
  /// eighth of the presence timeout, so that [QueueScripts.StatusScript] records presence in time.
  /// The time counts from before the script was sent, because a reply may be late. Sessions of a
  /// tier or seated behind others are not cached: [RankScript] does not know their further values.
  /// Bounded; safe for use by any thread.
  static final class WaitingCache {
    private static final int MAX_SESSIONS = 65_536;
    private static final int FULL_LOOKS_PER_PRESENCE = 8;
    private static final long MAX_LIFE_MS = 30_000;

    private final Cache<SessionId, Entry> entries =
        Caffeine.newBuilder().maximumSize(MAX_SESSIONS).build();
    private final LongSupplier nanos;

    private record Entry(ProductId product, long until) {}

    WaitingCache(LongSupplier nanos) {
      this.nanos = nanos;
    }

    /// The product for which the session waits; null when its full status has to be read.
    @Nullable ProductId product(SessionId session) {
      Entry entry = entries.getIfPresent(session);
      return entry != null && nanos.getAsLong() - entry.until() < 0 ? entry.product() : null;
    }

    /// The time, for `put`.
    long now() {
      return nanos.getAsLong();
    }

    /// Records a full status.
    ///
    /// @param askedAt a time before the script was sent
    void put(Place place, long askedAt) {
      if (place.status() == Place.Status.WAITING && place.tier() == 0 && place.seat().isEmpty()) {
        long presence = place.presenceMs();
        long life =
            presence > 0 ? Math.min(MAX_LIFE_MS, presence / FULL_LOOKS_PER_PRESENCE) : MAX_LIFE_MS;
        long until = askedAt + TimeUnit.MILLISECONDS.toNanos(life);
        entries.put(place.session(), new Entry(place.product(), until));
      }
    }

    /// Drops a session that no longer waits.
    void remove(SessionId session) {
      entries.invalidate(session);
    }
  }
}
