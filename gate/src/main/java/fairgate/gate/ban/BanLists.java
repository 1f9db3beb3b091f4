package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// All entries in force on this node: those of PostgreSQL and those of a feed. Readers never wait.
final class BanLists {
  private final BanTable allowed = new BanTable();
  private final BanTable banned = new BanTable();
  private final KeyRing keys;
  private final Networks networks;

  /// Replaced as a whole when the feed restarts.
  private volatile BanTable feed = new BanTable();

  BanLists(KeyRing keys, Networks networks) {
    this.keys = keys;
    this.networks = networks;
  }

  BanTable of(Ban.Effect effect) {
    return switch (effect) {
      case BAN -> banned;
      case ALLOW -> allowed;
    };
  }

  BanTable feed() {
    return feed;
  }

  void feed(BanTable table) {
    feed = table;
  }

  /// Applies the current state of an entry in PostgreSQL.
  void apply(Ban.Entry entry, long now) {
    Ban ban = entry.ban();
    BanTable table = of(ban.effect());
    if (entry.liftedAt() == 0 && ban.holds(now)) {
      table.put(ban);
      return;
    }
    Ban current = table.get(ban.subject());
    // A newer entry of the same subject stays.
    if (current != null && current.id() == ban.id()) {
      table.remove(ban.subject());
    }
  }

  void sweep(long now) {
    allowed.sweep(now);
    banned.sweep(now);
    feed.sweep(now);
  }

  /// The ban that applies to the caller; null when there is none or the allow-list has the caller.
  ///
  /// @param caller called only when more than the address matters
  @Nullable Ban find(ClientAddress address, Supplier<Caller> caller, long now) {
    if (banned.size() == 0 && feed.size() == 0) {
      return null;
    }
    Caller known = null;
    if (needsCaller(banned)) {
      known = caller.get();
    }
    Ban ban = find(banned, address, known, now);
    if (ban == null) {
      ban = find(feed, address, null, now);
    }
    return ban == null || exemptions(address, caller, now).anyMatch(Ban::spares) ? null : ban;
  }

  /// The entries of the allow-list that apply to the caller: those about the caller come before
  /// those about the network. One of an operator about a network is among them although an appeal
  /// has left another about one address in it.
  Stream<Ban> exemptions(ClientAddress address, Supplier<Caller> caller, long now) {
    if (allowed.size() == 0) {
      return Stream.empty();
    }
    Caller known = needsCaller(allowed) ? caller.get() : null;
    return Stream.concat(ofCaller(allowed, known, now), ofNetwork(allowed, address, now));
  }

  /// Whether any entry of operators and features is of this kind.
  boolean has(BanSubject.Kind kind) {
    return banned.has(kind) || allowed.has(kind);
  }

  /// Whether any entry is about an account, so that a request's account is needed.
  boolean needAccounts() {
    return has(BanSubject.Kind.ACCOUNT);
  }

  private @Nullable Ban find(
      BanTable table, ClientAddress address, @Nullable Caller known, long now) {
    return Stream.concat(ofNetwork(table, address, now), ofCaller(table, known, now))
        .findFirst()
        .orElse(null);
  }

  private Stream<Ban> ofNetwork(BanTable table, ClientAddress address, long now) {
    return Stream.concat(
        table.around(address, now),
        Stream.<Supplier<@Nullable Ban>>of(
                () -> table.findAsn(() -> networks.asn(address), now),
                () -> table.findCountry(() -> networks.country(address), now))
            .flatMap(entry -> Stream.ofNullable(entry.get())));
  }

  private Stream<Ban> ofCaller(BanTable table, @Nullable Caller known, long now) {
    return known == null
        ? Stream.empty()
        : subjects(table, known).flatMap(subject -> Stream.ofNullable(table.find(subject, now)));
  }

  private Stream<BanSubject> subjects(BanTable table, Caller known) {
    DeviceId device = table.has(BanSubject.Kind.DEVICE) ? known.device() : null;
    SessionId session = known.session();
    String account = known.account();
    return Stream.of(
            Optional.ofNullable(device).map(value -> BanSubject.device(value, keys)),
            Optional.ofNullable(session).map(BanSubject::session),
            Optional.ofNullable(account).map(BanSubject::account))
        .flatMap(Optional::stream);
  }

  /// Whether any entry is about more than an address.
  private static boolean needsCaller(BanTable table) {
    return table.has(BanSubject.Kind.DEVICE)
        || table.has(BanSubject.Kind.SESSION)
        || table.has(BanSubject.Kind.ACCOUNT);
  }
}
