package fairgate.queue;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The invitations of all sales, in PostgreSQL as keyed hashes: nobody can read people or codes
/// from the table.
public final class Invitations {
  public static final int MOST = 1_000_000;

  private static final Pattern CODE = Pattern.compile("[A-Za-z0-9_-]{22}");

  private final PostgresInvitations table;
  private final KeyRing keyRing;
  private final Ids ids;

  public Invitations(PostgresDatabase database, KeyRing keyRing, Ids ids) {
    this.table = new PostgresInvitations(database);
    this.keyRing = keyRing;
    this.ids = ids;
  }

  /// The invitations of a tier.
  ///
  /// @param used links that somebody has used
  public record Count(String tier, long people, long links, long used) {}

  /// The tiers on whose lists a person is. An identity belongs to the first member who uses it, so
  /// that it gives one place in a tier, whichever account has it later.
  ///
  /// @param identities kind and value of the person's identities, see [#identity]
  /// @param member the user as whom the sale counts the person
  public Future<List<String>> listed(
      ProductId product, Collection<String> identities, String member) {
    if (identities.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return table.listed(product, hashes(product, identities), member(product, member));
  }

  /// Whether the identity gives this member a tier: no other member of the sale has used it.
  ///
  /// @param identity see [#identity]
  /// @param member the user as whom the sale counts the person
  public Future<Boolean> own(ProductId product, String identity, String member) {
    return table.own(product, hash(product, identity), member(product, member));
  }

  /// Uses a link, and returns its tier; empty if there is no such link or somebody else has used
  /// it. A repeat by the same user or browser returns the same.
  ///
  /// @param users who uses it: the first owns the link then, and any of them can use it again
  public Future<Optional<String>> use(ProductId product, String code, List<String> users) {
    if (!CODE.matcher(code).matches()) {
      return Future.succeededFuture(Optional.empty());
    }
    return table.use(product, hash(product, link(code)), hashes(product, users));
  }

  /// Adds people to the list of a tier. Blocks. A repeat changes nothing.
  ///
  /// @param identities see [#identity]
  /// @return false if the sale would have more than [#MOST] invitations; then nothing was added
  public boolean addPeople(ProductId product, String tier, Collection<String> identities) {
    return table.add(product, tier, false, hashes(product, identities));
  }

  /// Creates links and returns their codes, which cannot be read again. Blocks.
  ///
  /// @return empty if the sale would have more than [#MOST] invitations
  public List<String> addLinks(ProductId product, String tier, int number) {
    List<String> codes = Stream.generate(ids::nonce).limit(number).toList();
    String[] hashes = hashes(product, codes.stream().map(Invitations::link).toList());
    return table.add(product, tier, true, hashes) ? codes : List.of();
  }

  /// The invitations of a sale, by tier. Blocks.
  public List<Count> counts(ProductId product) {
    return table.counts(product);
  }

  /// Removes the list of a tier and its unused links. Blocks. Places stay as they are.
  ///
  /// @return the number of removed invitations
  public int remove(ProductId product, String tier) {
    return table.remove(product, tier);
  }

  /// An identity of a person in the form that is hashed.
  ///
  /// @param kind such as `phone`
  /// @param value the same text for each notation of the identity
  public static String identity(String kind, String value) {
    return kind + ':' + value;
  }

  private String member(ProductId product, String user) {
    return hash(product, identity("member", user));
  }

  private static String link(String code) {
    return identity("link", code);
  }

  private String hash(ProductId product, String text) {
    return keyRing.fingerprint("invitation", product.value() + '|' + text);
  }

  private String[] hashes(ProductId product, Collection<String> texts) {
    Function<String, String> hash = text -> hash(product, text);
    return texts.stream().map(hash).distinct().toArray(String[]::new);
  }
}
