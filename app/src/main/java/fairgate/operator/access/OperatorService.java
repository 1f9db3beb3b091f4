package fairgate.operator.access;

import fairgate.account.SessionToken;
import fairgate.account.Username;
import fairgate.gate.ban.Ban;
import fairgate.kernel.Ids;
import fairgate.kernel.Role;
import fairgate.operator.access.PostgresOperators.Link;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Adds, changes and removes operators. All methods block.
public final class OperatorService {
  /// The path of a one-time link before its token.
  public static final String LINK_PATH = "/console/welcome/";

  static final Duration LINK_LIFE = Duration.ofHours(24);

  private static final String FIRST_OWNER = "owner";
  static final int MOST_OPERATORS = 500;
  private static final int TOKEN_BYTES = 32;

  private final PostgresOperators store;
  private final Ids ids;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  OperatorService(PostgresOperators store, Ids ids, Clock clock) {
    this.store = store;
    this.ids = ids;
    this.clock = clock;
  }

  /// A one-time link, with which the operator sets password and one-time codes.
  ///
  /// @param path on the server, with the token, which is shown once
  public record OneTimeLink(String path, Instant expiresAt) {
    /// Without the token.
    @Override
    public String toString() {
      return "OneTimeLink[expiresAt=" + expiresAt + "]";
    }
  }

  /// The result of adding an operator.
  public sealed interface AddOutcome {
    record Added(Entry operator, OneTimeLink link) implements AddOutcome {}

    /// Another operator has this name, or it is reserved.
    record NameTaken() implements AddOutcome {}

    /// Not 3 to 32 letters, digits, `.`, `_` and `-`.
    record NameRefused() implements AddOutcome {}

    record TooMany() implements AddOutcome {}
  }

  /// The result of a change.
  public enum ChangeOutcome {
    DONE,
    UNKNOWN,
    /// No other owner can sign in.
    LAST_OWNER
  }

  /// All operators by name.
  public List<Entry> all() {
    return store.all();
  }

  public Optional<Entry> find(String id) {
    return store.one(id);
  }

  /// The operator of this name, in any case.
  public Optional<Entry> named(String name) {
    return Username.of(name)
        .flatMap(valid -> store.byName(valid.key()))
        .flatMap(stored -> store.one(stored.id()));
  }

  /// Whether entries of the ban list that appeals leave have authors of this name.
  static boolean isReserved(Username name) {
    return name.key().equals(Ban.APPEAL) || name.key().startsWith(Ban.APPEAL + '.');
  }

  /// Adds an operator, who sets a password through the link.
  ///
  /// @param actor as the list shows it
  public AddOutcome add(String name, Role role, String actor) {
    Username valid = Username.of(name).orElse(null);
    if (valid == null) {
      return new AddOutcome.NameRefused();
    }
    if (isReserved(valid)) {
      return new AddOutcome.NameTaken();
    }
    String token = token();
    Link link = link(token);
    Entry operator =
        new Entry(
            "op_" + ids.nonce(),
            valid.shown(),
            role,
            false,
            clock.instant(),
            actor,
            null,
            link.expiresAt());
    return switch (store.add(operator, valid.key(), link, MOST_OPERATORS)) {
      case DONE -> new AddOutcome.Added(operator, shown(token, link));
      case TAKEN -> new AddOutcome.NameTaken();
      case FULL -> new AddOutcome.TooMany();
    };
  }

  /// A new link for an operator who has lost the password or the telephone; the earlier link ends.
  /// Empty for an unknown operator.
  public Optional<OneTimeLink> renewLink(String id) {
    String token = token();
    Link link = link(token);
    return store.putLink(id, link) ? Optional.of(shown(token, link)) : Optional.empty();
  }

  /// Whether some owner can sign in with password and one-time codes.
  public boolean hasOwner() {
    return store.hasOwner();
  }

  /// A link for the first owner; empty when an owner can sign in. An earlier link ends.
  public Optional<OneTimeLink> firstOwner() {
    if (store.hasOwner()) {
      return Optional.empty();
    }
    if (add(FIRST_OWNER, Role.OWNER, "up") instanceof AddOutcome.Added(_, OneTimeLink link)) {
      return Optional.of(link);
    }
    return named(FIRST_OWNER)
        .filter(operator -> operator.role() == Role.OWNER)
        .flatMap(operator -> renewLink(operator.id()));
  }

  /// Changes the role, which ends all sessions of the operator and revokes the tokens that permit
  /// more.
  public ChangeOutcome changeRole(String id, Role role) {
    return outcome(store.changeRole(id, role));
  }

  /// Removes an operator with all sessions and tokens.
  public ChangeOutcome remove(String id) {
    return outcome(store.remove(id));
  }

  private static ChangeOutcome outcome(PostgresOperators.Changed changed) {
    return switch (changed) {
      case DONE -> ChangeOutcome.DONE;
      case UNKNOWN -> ChangeOutcome.UNKNOWN;
      case LAST_OWNER -> ChangeOutcome.LAST_OWNER;
    };
  }

  private String token() {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private Link link(String token) {
    return new Link(SessionToken.hash(token), clock.instant().plus(LINK_LIFE));
  }

  private static OneTimeLink shown(String token, Link link) {
    return new OneTimeLink(LINK_PATH + token, link.expiresAt());
  }

  /// An operator in the list of operators.
  ///
  /// @param enrolled whether the operator has a password and one-time codes
  /// @param createdBy the actor who added the operator
  /// @param signedInAt the last sign-in; null for none
  /// @param linkExpiresAt the end of the one-time link; null without a link
  public record Entry(
      String id,
      String name,
      Role role,
      boolean enrolled,
      Instant createdAt,
      String createdBy,
      @Nullable Instant signedInAt,
      @Nullable Instant linkExpiresAt) {}
}
