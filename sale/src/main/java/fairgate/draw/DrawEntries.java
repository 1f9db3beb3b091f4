package fairgate.draw;

import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.draw.PostgresEntries.Draft;
import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.PostgresEntries.Stored;
import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.run.Batcher;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.QueueService;
import fairgate.queue.QueueService.JoinRequest;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The entries of people. Thread-safe; never blocks an event loop. Fails with ServiceUnavailable
/// while Redis or PostgreSQL is away.
public final class DrawEntries {
  /// Time within which the leaf of a promise is in a signed tree head, seconds.
  static final long PROMISE_SECONDS = 60;

  private static final String WITHDRAWN_BY_OWNER = "request";

  private final Stores stores;
  private final DrawKeys keys;
  private final QueueService queue;
  private final Clock clock;

  record Stores(EnterDrawScript script, PostgresEntries entries, Batcher<Draft, Stored> batcher) {}

  DrawEntries(Stores stores, DrawKeys keys, QueueService queue, Clock clock) {
    this.stores = stores;
    this.keys = keys;
    this.queue = queue;
    this.clock = clock;
  }

  /// The outcome of taking an entry out of a draw.
  public enum Removal {
    DONE,
    /// It takes no part already.
    ABSENT_BEFORE,
    NO_SUCH_ENTRY,
    NOT_OPEN
  }

  public sealed interface Outcome {
    /// The person has this entry. It is stored, also after a crash of any process.
    ///
    /// @param promise the signed promise of its leaf
    record Entered(Entry entry, String promise) implements Outcome {}

    /// The person has no entry by this attempt.
    record Refused(Refusal refusal) implements Outcome {}
  }

  /// Enters a person. A repeat returns the entry that the person has, also after it was withdrawn.
  ///
  /// @param product the sale of the draw
  /// @param join the request, as for the queue of the sale
  /// @param quantity units that the entry wants
  public Future<Outcome> enter(Draw draw, Product product, JoinRequest join, int quantity) {
    if (!isOpen(draw)) {
      return refuse(closed(draw));
    }
    return queue
        .clear(join)
        .compose(
            clearance ->
                switch (clearance) {
                  case QueueService.Clearance.Refused(var why) -> refuse(why.refusal());
                  case QueueService.Clearance.Cleared cleared -> {
                    Draft draft = draft(draw, product, join, quantity);
                    yield counted(draft, product, join, cleared)
                        .compose(
                            word ->
                                switch (word) {
                                  case NETWORK ->
                                      refuse(Refusal.of(ErrorCode.NETWORK_LIMIT_REACHED));
                                  case CHALLENGE_USED ->
                                      refuse(Refusal.of(ErrorCode.INVALID_TURNSTILE_TOKEN));
                                  case OK -> store(draft, product);
                                });
                  }
                });
  }

  private boolean isOpen(Draw draw) {
    long now = clock.millis() / 1000;
    return draw.state() == Draw.State.OPEN && now < draw.rules().close();
  }

  private static Refusal closed(Draw draw) {
    return Refusal.of(ErrorCode.DRAW_STATE_CONFLICT).with("state", draw.state().word());
  }

  private static Future<Outcome> refuse(Refusal refusal) {
    return Future.succeededFuture(new Outcome.Refused(refusal));
  }

  private Future<EnterDrawScript.Word> counted(
      Draft draft, Product product, JoinRequest join, QueueService.Clearance.Cleared cleared) {
    Duration life =
        Duration.ofSeconds(draft.draw().rules().close() - clock.millis() / 1000 + 3_600);
    return stores
        .script()
        .run(
            queue.keys(product.id()),
            draft.draw().id(),
            product.fairness(),
            life,
            draft.uniq(),
            cleared.accepted().once(),
            queue.networks(product.id(), join.caller()));
  }

  private Draft draft(Draw draw, Product product, JoinRequest join, int quantity) {
    SessionId session = queue.newSession(product.id());
    String device = queue.deviceHash(product.id(), join.device().id());
    String user = join.account();
    String person = person(device, user);
    EntryLeaf leaf =
        new EntryLeaf(
            draw.id(),
            EntryLeaf.who(keys.salt(session), StrictText.bytes(person)),
            Hash.ofParts(StrictText.bytes(session.value())),
            classes(product.policy().fairness().identity(), user),
            Optional.of(keys.uniq(draw.id(), person)),
            quantity,
            0);
    boolean needsDeposit = product.policy().payment().deposit() != null;
    return new Draft(draw, session, leaf, device, user, needsDeposit);
  }

  private static String person(String device, @Nullable String user) {
    return user == null ? device : user;
  }

  private static List<String> classes(Identity identity, @Nullable String user) {
    return switch (identity) {
      case DEVICE, ACCOUNT -> user == null ? List.of() : List.of("acct");
      case PHONE -> List.of("acct", "phone");
      case PERSON -> List.of("acct", "eid");
    };
  }

  private Future<Outcome> store(Draft draft, Product product) {
    return stores
        .batcher()
        .submit(draft)
        .map(
            stored ->
                stored
                    .entry()
                    .map(entry -> (Outcome) new Outcome.Entered(entry, promise(entry)))
                    .orElseGet(
                        () ->
                            new Outcome.Refused(
                                stored.lacksDeposit()
                                    ? product.depositRequired()
                                    : closed(draft.draw()))));
  }

  private String promise(Entry entry) {
    return keys.promise(entry.draw(), entry.leaf(), clock.millis() / 1000 + PROMISE_SECONDS);
  }

  /// The entry of a session; empty if it has none in this draw.
  public Future<Optional<Entry>> own(Draw draw, SessionId session) {
    return stores.entries().own(draw.id(), session);
  }

  /// Why a person cannot make an entry in an open draw: it has one, which `absence` calls withdrawn
  /// or excluded if it takes no part. Empty for a person without an entry.
  ///
  /// @param user as whom the sale counts the person; null for a guest
  public Future<Optional<Refusal>> refusal(Draw draw, DeviceId device, @Nullable String user) {
    String person = person(queue.deviceHash(draw.product(), device), user);
    return stores
        .entries()
        .of(draw.id(), keys.uniq(draw.id(), person))
        .map(
            found ->
                found.map(
                    entry ->
                        entry
                            .absence()
                            .map(kind -> closed(draw).with("absence", kind))
                            .orElseGet(() -> closed(draw))));
  }

  /// The text of which an entry's leaf commits to the person, together with the salt.
  public String person(Entry entry) {
    return person(entry.device(), entry.user());
  }

  /// The salt of an entry, which only its owner gets.
  public byte[] salt(Entry entry) {
    return keys.salt(entry.session());
  }

  /// Withdraws an entry for good. A repeat has the same result.
  ///
  /// @return null, or why it cannot be withdrawn
  public Future<@Nullable Refusal> withdraw(Draw draw, Entry entry) {
    if (entry.absence().isPresent()) {
      return Future.succeededFuture();
    }
    if (!isOpen(draw)) {
      return Future.succeededFuture(closed(draw));
    }
    return BlockingWork.call(
            "draw-withdraw",
            () ->
                stores
                    .entries()
                    .remove(draw.id(), entry.index(), "withdrawn", WITHDRAWN_BY_OWNER, "entrant"))
        .map(
            removal ->
                switch (removal) {
                  case DONE, ABSENT_BEFORE -> null;
                  case NO_SUCH_ENTRY -> Refusal.of(ErrorCode.ENTRY_NOT_FOUND);
                  case NOT_OPEN -> closed(draw);
                });
  }

  /// Excludes an entry before the seal. Blocks.
  Removal exclude(Draw draw, long index, String reason, String actor) {
    return stores.entries().remove(draw.id(), index, "excluded", reason, actor);
  }

  /// Signals that the sale of a draw is unknown to this node.
  static ServiceUnavailable noSale() {
    return new ServiceUnavailable("the sale of the draw is not known yet", Duration.ofSeconds(1));
  }
}
