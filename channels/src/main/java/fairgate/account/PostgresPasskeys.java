package fairgate.account;

import com.yubico.webauthn.CredentialRepository;
import com.yubico.webauthn.RegisteredCredential;
import com.yubico.webauthn.RegistrationResult;
import com.yubico.webauthn.data.ByteArray;
import com.yubico.webauthn.data.PublicKeyCredentialDescriptor;
import com.yubico.webauthn.data.exception.Base64UrlException;
import fairgate.account.PasskeyService.Passkey;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Passkeys in PostgreSQL. Methods block unless they return a future.
///
/// The library's user name is our account id, and so is the user handle: it is random and says
/// nothing about its owner.
record PostgresPasskeys(PostgresDatabase database, SignInMethods methods, Clock clock)
    implements CredentialRepository {
  private static final String COLUMNS =
      "SELECT credential_id, account_id, public_key, sign_count,"
          + " created_at, used_at FROM account_passkeys ";
  private static final String OF_ACCOUNT =
      COLUMNS + "WHERE account_id = $1 ORDER BY created_at, credential_id";
  private static final String BY_ID = COLUMNS + "WHERE credential_id = $1";
  private static final String ACCOUNT =
      "SELECT id, username, created_at FROM accounts WHERE id = $1";
  private static final String LOCK = "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE";
  private static final String COUNT =
      "SELECT count(*) AS n FROM account_passkeys WHERE account_id = $1";
  private static final String INSERT =
      """
      INSERT INTO account_passkeys (credential_id, account_id, public_key, sign_count,
        created_at)
      VALUES ($1, $2, $3, $4, $5)
      """;

  /// Authenticators without a counter always report 0.
  private static final String USE =
      """
      UPDATE account_passkeys SET sign_count = $2, used_at = $3
      WHERE credential_id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))
      """;

  private static final String DELETE =
      "DELETE FROM account_passkeys WHERE account_id = $1 AND credential_id = $2";

  enum Added {
    DONE,
    FULL,
    /// The credential belongs to an account already, or the account is gone.
    REFUSED
  }

  /// Adds a passkey, up to a maximum per account.
  Added add(String account, RegistrationResult result, Instant now, int max) {
    try {
      return database.tx(
          db -> {
            if (db.query(LOCK, account).isEmpty()) {
              return Added.REFUSED;
            }
            if (db.query(COUNT, account).getFirst().getLong("n") >= max) {
              return Added.FULL;
            }
            db.update(
                INSERT,
                result.getKeyId().getId().getBase64Url(),
                account,
                Buffer.buffer(result.getPublicKeyCose().getBytes()),
                result.getSignatureCount(),
                now.atOffset(ZoneOffset.UTC));
            return Added.DONE;
          });
    } catch (PostgresRefusal _) {
      return Added.REFUSED;
    }
  }

  /// Stores a use; false when another use has stored this counter or a higher one.
  boolean use(String credential, long counter) {
    OffsetDateTime now = clock.instant().atOffset(ZoneOffset.UTC);
    return database.update(USE, credential, counter, now) > 0;
  }

  /// Removes a passkey, unless it is the last way to sign in.
  SignInMethods.Removal remove(String account, String credential) {
    return methods.remove(account, db -> db.update(DELETE, account, credential));
  }

  /// The passkeys of an account, oldest first.
  Future<List<Passkey>> list(String account) {
    return database.queryList(OF_ACCOUNT, PostgresPasskeys::passkey, account);
  }

  Optional<Account> account(String id) {
    return database.query(ACCOUNT, id).await().stream().findFirst().map(PostgresPasskeys::account);
  }

  @Override
  public Set<PublicKeyCredentialDescriptor> getCredentialIdsForUsername(String account) {
    return database.query(OF_ACCOUNT, account).await().stream()
        .map(row -> PublicKeyCredentialDescriptor.builder().id(id(row)).build())
        .collect(Collectors.toSet());
  }

  @Override
  public Optional<ByteArray> getUserHandleForUsername(String account) {
    return Optional.of(handle(account));
  }

  @Override
  public Optional<String> getUsernameForUserHandle(ByteArray handle) {
    return Optional.of(new String(handle.getBytes(), StandardCharsets.UTF_8));
  }

  @Override
  public Optional<RegisteredCredential> lookup(ByteArray credential, ByteArray handle) {
    return lookupAll(credential).stream()
        .filter(found -> found.getUserHandle().equals(handle))
        .findFirst();
  }

  @Override
  public Set<RegisteredCredential> lookupAll(ByteArray credential) {
    return database.query(BY_ID, credential.getBase64Url()).await().stream()
        .map(PostgresPasskeys::registered)
        .collect(Collectors.toSet());
  }

  static ByteArray handle(String account) {
    return new ByteArray(account.getBytes(StandardCharsets.UTF_8));
  }

  private static RegisteredCredential registered(Row row) {
    return RegisteredCredential.builder()
        .credentialId(id(row))
        .userHandle(handle(row.getString("account_id")))
        .publicKeyCose(new ByteArray(row.getBuffer("public_key").getBytes()))
        .signatureCount(row.getLong("sign_count"))
        .build();
  }

  private static Passkey passkey(Row row) {
    @Nullable OffsetDateTime used = row.getOffsetDateTime("used_at");
    return new Passkey(
        row.getString("credential_id"),
        row.getOffsetDateTime("created_at").toInstant(),
        used == null ? null : used.toInstant());
  }

  private static ByteArray id(Row row) {
    try {
      return ByteArray.fromBase64Url(row.getString("credential_id"));
    } catch (Base64UrlException e) {
      throw new IllegalStateException("a stored credential id is none", e);
    }
  }

  private static Account account(Row row) {
    return new Account(
        row.getString("id"),
        row.getString("username"),
        row.getOffsetDateTime("created_at").toInstant());
  }
}
