package fairgate.operator;

import static fairgate.kernel.Role.SELLER;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy.Group;
import fairgate.catalog.SalePolicy.Tier;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.queue.Invitations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Invitations to the tiers of a sale: lists of people as CSV, and single-use links.
final class InvitationAdmin {
  /// About 500,000 lines.
  private static final int MAX_LIST_BYTES = 16 << 20;

  private static final int MOST_LINKS = 10_000;
  private static final int LONGEST_NAME = 60;

  private final Catalog catalog;
  private final Invitations invitations;
  private final VerifiedIdentities identities;

  InvitationAdmin(Catalog catalog, Invitations invitations, VerifiedIdentities identities) {
    this.catalog = catalog;
    this.invitations = invitations;
    this.identities = identities;
  }

  List<Route> routes(AdminGuard admin) {
    String path = "/api/admin/products/{id}/invitations";
    return List.of(
        Route.blockingGet(path, admin.guard(this::counts)).roles(SELLER),
        Route.blockingPost(path, admin.guard(AdminInput.query("tier"), this::addPeople))
            .roles(SELLER)
            .withStreamedBody(MAX_LIST_BYTES),
        Route.blockingDelete(path, admin.guard(AdminInput.query("tier"), this::remove))
            .roles(SELLER)
            .withReason(true),
        Route.blockingPost(
                "/api/admin/products/{id}/invitation-links",
                admin.guard(AdminInput.body("tier", "number"), this::addLinks))
            .roles(SELLER));
  }

  private Reply counts(Request request) {
    return product(request).map(this::counts).orElseGet(InvitationAdmin::unknown);
  }

  private Reply counts(Product product) {
    List<Invitations.Count> counts = invitations.counts(product.id());
    JsonText all = JsonText.array();
    for (Invitations.Count count : counts) {
      all.add(
          JsonText.object()
              .put("tier", count.tier())
              .put("people", count.people())
              .put("links", count.links())
              .put("used_links", count.used()));
    }
    return Reply.json(200, JsonText.object().put("tiers", all).bytes());
  }

  /// The body is CSV, one person per line: kind and value. All lines are added, or none.
  private Reply addPeople(Request request) throws IOException {
    Product product = product(request).orElse(null);
    if (product == null) {
      return unknown();
    }
    String tier = tier(product, request.query("tier"));
    List<String> people = people(product.id(), text(request.bodyStream().readAllBytes()));
    return invitations.addPeople(product.id(), tier, people) ? counts(product) : full();
  }

  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw new InvalidRequest("", "not_utf8");
    }
  }

  private List<String> people(ProductId product, String csv) {
    List<String> people = new ArrayList<>();
    List<String> lines = csv.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replace("\uFEFF", "").strip();
      if (line.isEmpty() || (i == 0 && line.equals("kind,value"))) {
        continue;
      }
      int number = i + 1;
      people.add(
          person(product, line)
              .orElseThrow(() -> new InvalidRequest("line " + number, "invited_person")));
    }
    return people;
  }

  private Optional<String> person(ProductId product, String line) {
    int comma = line.indexOf(',');
    if (comma < 0) {
      return Optional.empty();
    }
    return identities.nameOf(
        line.substring(0, comma).strip(), line.substring(comma + 1).strip(), product);
  }

  private Reply addLinks(Request request) {
    JsonBody body = request.json();
    Product product = product(request).orElse(null);
    if (product == null) {
      return unknown();
    }
    String tier = tier(product, body.text("tier", 1, LONGEST_NAME));
    List<String> codes =
        invitations.addLinks(product.id(), tier, body.integer("number", 1, MOST_LINKS));
    if (codes.isEmpty()) {
      return full();
    }
    String page = "/p/" + product.id().value() + "?invite=";
    JsonText links = JsonText.array();
    codes.forEach(code -> links.add(page + code));
    return Reply.json(201, JsonText.object().put("tier", tier).put("links", links).bytes());
  }

  private Reply remove(Request request) {
    Product product = product(request).orElse(null);
    String tier = request.query("tier");
    if (product == null) {
      return unknown();
    }
    if (tier == null) {
      throw new InvalidRequest("tier", "missing");
    }
    // The tier may be gone from the policy.
    int removed = invitations.remove(product.id(), tier);
    return Reply.json(200, JsonText.object().put("tier", tier).put("removed", removed).bytes());
  }

  private Optional<Product> product(Request request) {
    String id = request.pathParam("id");
    return ProductId.isValid(id) ? catalog.findOrReload(new ProductId(id)) : Optional.empty();
  }

  /// A tier of the sale that is open to invitations.
  private static String tier(Product product, @Nullable String name) {
    List<String> names =
        product.policy().priority().stream()
            .filter(tier -> tier.group() == Group.INVITATION)
            .map(Tier::name)
            .toList();
    if (names.isEmpty()) {
      throw new InvalidRequest("tier", "no_invited_tier");
    }
    if (name == null || !names.contains(name)) {
      throw new InvalidRequest("tier", "not_one_of", String.join(", ", names));
    }
    return name;
  }

  private static Reply full() {
    throw new InvalidRequest("", "too_many_invitations", Invitations.MOST);
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
  }
}
