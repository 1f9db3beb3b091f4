package fairgate.operator.access;

import fairgate.account.Passwords;
import fairgate.account.SessionToken;
import fairgate.account.Username;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.Role;
import fairgate.operator.access.OperatorCredentials.FreshSession;
import fairgate.operator.access.PostgresOperators.Credentials;
import fairgate.operator.access.PostgresOperators.Proof;
import fairgate.operator.access.PostgresOperators.Stored;
import fairgate.platform.admin.Operator;
import fairgate.platform.text.TypedCode;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The sign-in of operators: name, password, and a one-time code or a recovery code, in one step.
/// All methods block.
///
/// Unknown names, wrong passwords and wrong codes get the same reply after the same work. Failed
/// attempts are delayed as those of accounts. After [#MOST_WRONG_CODES] wrong codes with the right
/// password, in succession, only a new one-time link helps, so that a stolen password does not
/// allow guessing the code.
public final class OperatorSignIn {
  static final int MOST_WRONG_CODES = 50;

  private static final String SIGN_IN_REFUSED = "operator sign-in";
  private static final int RECOVERY_CODES = 10;
  private static final int RECOVERY_BYTES = 10;
  private static final int RECOVERY_LENGTH = 16;

  private final PostgresOperators store;
  private final OperatorCredentials credentials;
  private final Passwords passwords;
  private final KeyRing keys;
  private final KeySeal seal;
  private final Audit audit;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  /// The secret for operators without one. Nobody knows it.
  private final byte[] noSecret = new byte[Totp.SECRET_BYTES];

  OperatorSignIn(
      PostgresOperators store,
      OperatorCredentials credentials,
      Passwords passwords,
      KeyRing keys,
      KeySeal seal,
      Audit audit,
      Clock clock) {
    this.store = store;
    this.credentials = credentials;
    this.passwords = passwords;
    this.keys = keys;
    this.seal = seal;
    this.audit = audit;
    this.clock = clock;
    random.nextBytes(noSecret);
  }

  /// The result of a sign-in.
  public sealed interface Outcome {
    /// Signed in.
    ///
    /// @param token of the session, for the cookie
    record Granted(String token) implements Outcome {}

    /// Unknown name, wrong password, or a wrong or used code.
    record Refused() implements Outcome {}

    record TooMany(Duration retryAfter) implements Outcome {}

    /// Everything was right, but too many codes were wrong before.
    record Locked() implements Outcome {}
  }

  /// An unused one-time link.
  ///
  /// @param secret the secret of the one-time codes as text
  /// @param uri the same for apps
  public record Welcome(String name, Role role, String secret, String uri) {
    /// Without the secret.
    @Override
    public String toString() {
      return "Welcome[name=" + name + ", role=" + role + "]";
    }
  }

  /// The result of using a one-time link.
  public sealed interface EnrolOutcome {
    /// Signed in with new credentials.
    ///
    /// @param token of the session, for the cookie
    /// @param recoveryCodes shown once
    record Enrolled(String token, List<String> recoveryCodes) implements EnrolOutcome {}

    /// The new password is not acceptable.
    ///
    /// @param problem the rest of a message key after `invalid.`
    record PasswordRefused(String problem) implements EnrolOutcome {}

    record WrongCode() implements EnrolOutcome {}

    /// The link is unknown, used or expired.
    record LinkEnded() implements EnrolOutcome {}
  }

  /// The result of a change of the password.
  public sealed interface PasswordOutcome {
    record Changed() implements PasswordOutcome {}

    /// The password or the code is wrong.
    record Refused() implements PasswordOutcome {}

    /// The new password is not acceptable.
    ///
    /// @param problem the rest of a message key after `invalid.`
    record PasswordRefused(String problem) implements PasswordOutcome {}

    record TooMany(Duration retryAfter) implements PasswordOutcome {}
  }

  /// Signs in.
  ///
  /// @param code a one-time code or a recovery code
  public Outcome signIn(String name, String password, String code, Caller caller) {
    return passwords.run(() -> enter(name, password, code, caller)).await();
  }

  private Outcome enter(String name, String password, String code, Caller caller) {
    String nameKey = nameKey(name);
    Duration wait = passwords.attempt(subject(nameKey), caller);
    if (!wait.isZero()) {
      return new Outcome.TooMany(wait);
    }
    Stored stored = store.byName(nameKey).orElse(null);
    Proof proof = proof(stored, password, code).orElse(null);
    if (stored == null || proof == null) {
      refused(stored, caller);
      return new Outcome.Refused();
    }
    if (stored.wrongCodes() >= MOST_WRONG_CODES) {
      refused(stored, caller);
      return new Outcome.Locked();
    }
    FreshSession fresh = credentials.fresh(caller.userAgent());
    if (!store.enter(stored, proof, fresh.session())) {
      refused(stored, caller);
      return new Outcome.Refused();
    }
    passwords.accepted(subject(nameKey), caller);
    note("sign-in", stored.name(), caller);
    return new Outcome.Granted(fresh.token());
  }

  /// Ends the session of a request.
  public void signOut(Operator operator, Caller caller) {
    if (operator.id() != null && operator.session() != null) {
      boolean _ = credentials.endSession(operator.id(), operator.session());
      note("sign-out", operator.name(), caller);
    }
  }

  /// The page of a one-time link; empty when the link is unknown, used or expired. A repeat shows
  /// the same secret, which is derived from the link.
  public Optional<Welcome> welcome(String token) {
    byte[] secret = newSecret(token);
    return store
        .byLink(SessionToken.hash(token), clock.instant())
        .map(
            stored ->
                new Welcome(
                    stored.name(),
                    stored.role(),
                    Totp.base32(secret),
                    Totp.uri(secret, stored.name())));
  }

  /// Uses the link up: sets password and one-time codes, ends all sessions and signs in. A password
  /// or a code that is refused leaves the link as it is.
  public EnrolOutcome enrol(String token, String password, String code, Caller caller) {
    return passwords.run(() -> enrolled(token, password, code, caller)).await();
  }

  private EnrolOutcome enrolled(String token, String password, String code, Caller caller) {
    Instant now = clock.instant();
    String hash = SessionToken.hash(token);
    Stored stored = store.byLink(hash, now).orElse(null);
    if (stored == null) {
      return new EnrolOutcome.LinkEnded();
    }
    Optional<String> problem = passwords.problem(password, stored.nameKey());
    if (problem.isPresent()) {
      return new EnrolOutcome.PasswordRefused(problem.get());
    }
    byte[] secret = newSecret(token);
    OptionalLong step = Totp.match(secret, TypedCode.oneTime(code), now);
    if (step.isEmpty()) {
      return new EnrolOutcome.WrongCode();
    }
    List<String> recoveryCodes = recoveryCodes();
    Credentials fresh =
        new Credentials(
            passwords.hash(password),
            seal.seal(stored.id(), secret),
            step.getAsLong(),
            recoveryCodes.stream()
                .map(each -> recoveryHash(stored.id(), TypedCode.oneTime(each)))
                .toList());
    FreshSession session = credentials.fresh(caller.userAgent());
    if (!store.enrol(stored.id(), hash, fresh, session.session())) {
      return new EnrolOutcome.LinkEnded();
    }
    passwords.accepted(subject(stored.nameKey()), caller);
    note("one-time link used", stored.name(), caller);
    return new EnrolOutcome.Enrolled(session.token(), recoveryCodes);
  }

  /// Sets a new password and ends the operator's other sessions.
  public PasswordOutcome changePassword(
      Operator operator, String password, String code, String newPassword, Caller caller) {
    return passwords.run(() -> change(operator, password, code, newPassword, caller)).await();
  }

  private PasswordOutcome change(
      Operator operator, String password, String code, String newPassword, Caller caller) {
    String id = operator.id();
    Stored stored = id == null ? null : store.byId(id).orElse(null);
    if (stored == null) {
      return new PasswordOutcome.Refused();
    }
    Duration wait = passwords.attempt(subject(stored.nameKey()), caller);
    if (!wait.isZero()) {
      return new PasswordOutcome.TooMany(wait);
    }
    Proof proof = proof(stored, password, code).orElse(null);
    if (proof == null || stored.wrongCodes() >= MOST_WRONG_CODES) {
      return new PasswordOutcome.Refused();
    }
    Optional<String> problem = passwords.problem(newPassword, stored.nameKey());
    if (problem.isPresent()) {
      return new PasswordOutcome.PasswordRefused(problem.get());
    }
    String kept = operator.session() == null ? "" : operator.session();
    if (!store.changePassword(stored, proof, passwords.hash(newPassword), kept)) {
      return new PasswordOutcome.Refused();
    }
    passwords.accepted(subject(stored.nameKey()), caller);
    return new PasswordOutcome.Changed();
  }

  /// The proof of the second factor, when both factors are right. Both are always checked, so that
  /// the time does not reveal whether the password was right.
  private Optional<Proof> proof(@Nullable Stored stored, String password, String code) {
    boolean right = passwords.matches(password, stored == null ? null : stored.password());
    Optional<Proof> proof = secondFactor(stored, TypedCode.oneTime(code));
    if (stored == null || !right) {
      return Optional.empty();
    }
    if (proof.isEmpty()) {
      store.countWrongCode(stored.id());
    }
    return proof;
  }

  private Optional<Proof> secondFactor(@Nullable Stored stored, String code) {
    if (code.length() == RECOVERY_LENGTH) {
      String id = stored == null ? "" : stored.id();
      String hash = recoveryHash(id, code);
      return store.hasRecoveryCode(id, hash)
          ? Optional.of(new Proof.RecoveryCode(hash))
          : Optional.empty();
    }
    OptionalLong step = Totp.match(secret(stored), code, clock.instant());
    return step.isPresent() ? Optional.of(new Proof.Step(step.getAsLong())) : Optional.empty();
  }

  private byte[] secret(@Nullable Stored stored) {
    if (stored == null || stored.totp() == null) {
      return noSecret;
    }
    return seal.open(stored.id(), stored.totp()).orElse(noSecret);
  }

  private byte[] newSecret(String token) {
    return Arrays.copyOf(keys.sign("operator-enrolment", token), Totp.SECRET_BYTES);
  }

  private List<String> recoveryCodes() {
    List<String> codes = new ArrayList<>();
    for (int i = 0; i < RECOVERY_CODES; i++) {
      byte[] bytes = new byte[RECOVERY_BYTES];
      random.nextBytes(bytes);
      codes.add(Totp.base32(bytes).replaceAll("(.{4})(?=.)", "$1-"));
    }
    return codes;
  }

  private String recoveryHash(String operator, String code) {
    return keys.fingerprint("operator-recovery", operator + ' ' + code);
  }

  private static String nameKey(String name) {
    return Username.of(name.strip()).map(Username::key).orElse("");
  }

  private static String subject(String nameKey) {
    return "operator:" + nameKey;
  }

  /// Sampled, because strangers cause it. An unknown name is left out: it may be a password.
  private void refused(@Nullable Stored stored, Caller caller) {
    int weight = audit.weight(AuditEvent.Kind.REFUSAL, SIGN_IN_REFUSED);
    if (weight > 0) {
      Map<String, Object> facts = new HashMap<>();
      if (weight > 1) {
        facts.put("weight", weight);
      }
      if (stored != null) {
        facts.put("operator", stored.name());
      }
      audit.note(new AuditEvent(AuditEvent.Kind.REFUSAL, SIGN_IN_REFUSED, caller, facts));
    }
  }

  private void note(String what, String name, Caller caller) {
    audit.note(new AuditEvent(AuditEvent.Kind.ADMIN, what, caller, Map.of("operator", name)));
  }
}
