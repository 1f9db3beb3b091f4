package fairgate.queue.invitation;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The invitations of all sales, in PostgreSQL as keyed hashes: nobody can read people or codes
/// from the table.
public final class Invitations {
  /// Maximum number of invitations of a sale.
  public static final int MOST = 1_000_000;

  private static final Pattern CODE = Pattern.compile("[A-Za-z0-9_-]{22}");

  private static final String LISTED =
      """
      SELECT DISTINCT tier FROM invitations
      WHERE product_id = $1 AND hash = ANY($2::text[]) AND NOT is_link
      """;

  /// The first one to use a link owns it.
  private static final String USE =
      """
      UPDATE invitations SET used_by = coalesce(used_by, $3)
      WHERE product_id = $1 AND hash = $2 AND is_link
        AND (used_by IS NULL OR used_by = ANY($4::text[]))
      RETURNING tier
      """;

  /// A person on two lists is on the one that was uploaded last.
  private static final String ADD =
      """
      INSERT INTO invitations (product_id, hash, tier, is_link)
      SELECT $1, hash, $2, $3 FROM unnest($4::text[]) AS hash
      ON CONFLICT (product_id, hash) DO UPDATE SET tier = excluded.tier
      """;

  private static final String LOCK = "SELECT id FROM products WHERE id = $1 FOR UPDATE";
  private static final String NUMBER = "SELECT count(*) FROM invitations WHERE product_id = $1";
  private static final String COUNT =
      """
      SELECT tier, count(*) FILTER (WHERE NOT is_link) AS people,
        count(*) FILTER (WHERE is_link) AS links, count(used_by) AS used
      FROM invitations WHERE product_id = $1 GROUP BY tier ORDER BY tier
      """;
  private static final String REMOVE_UNUSED =
      "DELETE FROM invitations WHERE product_id = $1 AND tier = $2 AND used_by IS NULL";

  private final PostgresDatabase database;
  private final KeyRing keyRing;
  private final Ids ids;

  public Invitations(PostgresDatabase database, KeyRing keyRing, Ids ids) {
    this.database = database;
    this.keyRing = keyRing;
    this.ids = ids;
  }

  /// The invitations of a tier.
  ///
  /// @param used links that somebody has used
  public record Count(String tier, long people, long links, long used) {}

  /// The tiers on whose lists a person is.
  ///
  /// @param identities kind and value of the person's identities, see [#identity]
  public Future<List<String>> listed(ProductId product, Collection<String> identities) {
    if (identities.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return database
        .query(LISTED, product.value(), hashes(product, identities))
        .map(rows -> rows.stream().map(row -> row.getString("tier")).toList());
  }

  /// Uses a link, and returns its tier; empty if there is no such link or somebody else has used
  /// it. A repeat by the same user or browser returns the same.
  ///
  /// @param users who uses it: the first owns the link then, and any of them can use it again
  public Future<Optional<String>> use(ProductId product, String code, List<String> users) {
    if (!CODE.matcher(code).matches()) {
      return Future.succeededFuture(Optional.empty());
    }
    String[] hashes = hashes(product, users);
    return database
        .query(USE, product.value(), hash(product, link(code)), hashes[0], hashes)
        .map(rows -> rows.stream().findFirst().map(row -> row.getString("tier")));
  }

  /// Adds people to the list of a tier. Blocks. A repeat changes nothing.
  ///
  /// @param identities see [#identity]
  /// @return false if the sale would have more than [#MOST] invitations; then nothing was added
  public boolean addPeople(ProductId product, String tier, Collection<String> identities) {
    return add(product, tier, false, hashes(product, identities));
  }

  /// Creates links and returns their codes, which cannot be read again. Blocks.
  ///
  /// @return empty if the sale would have more than [#MOST] invitations
  public List<String> addLinks(ProductId product, String tier, int number) {
    List<String> codes = Stream.generate(ids::nonce).limit(number).toList();
    String[] hashes = hashes(product, codes.stream().map(Invitations::link).toList());
    return add(product, tier, true, hashes) ? codes : List.of();
  }

  private boolean add(ProductId product, String tier, boolean links, String[] hashes) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK, product.value());
          Row count = db.query(NUMBER, product.value()).getFirst();
          if (count.getLong(0) + hashes.length > MOST) {
            return false;
          }
          db.update(ADD, product.value(), tier, links, hashes);
          return true;
        });
  }

  /// The invitations of a sale, by tier. Blocks.
  public List<Count> counts(ProductId product) {
    return database.reading(
        db ->
            db.query(COUNT, product.value()).stream()
                .map(
                    row ->
                        new Count(
                            row.getString("tier"),
                            row.getLong("people"),
                            row.getLong("links"),
                            row.getLong("used")))
                .toList());
  }

  /// Removes the list of a tier and its unused links. Blocks. Places stay as they are.
  ///
  /// @return the number of removed invitations
  public int remove(ProductId product, String tier) {
    return database.tx(db -> db.update(REMOVE_UNUSED, product.value(), tier));
  }

  /// An identity of a person in the form that is hashed.
  ///
  /// @param kind such as `phone`
  /// @param value the same text for each notation of the identity
  public static String identity(String kind, String value) {
    return kind + ':' + value;
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
