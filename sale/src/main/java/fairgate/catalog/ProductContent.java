package fairgate.catalog;

import fairgate.platform.text.Language;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What buyers read about a product besides its name and price.
///
/// @param names by language; the product's own name stands for the others
/// @param descriptions by language
/// @param venue empty for none
/// @param startsAt when the event begins
/// @param seller who sells; empty for the shop
/// @param termsUrl https; empty for none
/// @param images https addresses, in order
/// @param buyerFields what buyers are asked for before they pay, in order
/// @param tickets the rules of tickets; null when buyers get none
public record ProductContent(
    Map<Language, String> names,
    Map<Language, Description> descriptions,
    String venue,
    @Nullable Instant startsAt,
    String seller,
    String termsUrl,
    List<String> images,
    List<BuyerField> buyerFields,
    @Nullable Tickets tickets) {
  /// A product of which nothing is told.
  public static final ProductContent EMPTY =
      new ProductContent(Map.of(), Map.of(), "", null, "", "", List.of(), List.of(), null);

  public ProductContent {
    names = Map.copyOf(names);
    descriptions = Map.copyOf(descriptions);
    images = List.copyOf(images);
    buyerFields = List.copyOf(buyerFields);
  }

  /// The rules of tickets.
  ///
  /// @param transferUntil when transfers to other persons end; null permits none
  public record Tickets(@Nullable Instant transferUntil) {}

  /// A description.
  ///
  /// @param html rendered from the Markdown, safe to show
  /// @param plain the text without marks
  public record Description(String markdown, String html, String plain) {}

  /// The name in a language.
  ///
  /// @param usual the product's own name
  public String name(Language language, String usual) {
    return names.getOrDefault(language, usual);
  }

  /// The description in a language, else in any: readers of one Chinese script can read the other.
  public Optional<Description> description(Language language) {
    Description own = descriptions.get(language);
    if (own != null) {
      return Optional.of(own);
    }
    return Arrays.stream(Language.values())
        .filter(descriptions::containsKey)
        .findFirst()
        .map(descriptions::get);
  }
}
