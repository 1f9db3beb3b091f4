package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.platform.text.Language;
import org.jspecify.annotations.Nullable;

/// The command in a text, location or postback.
sealed interface Command {
  record Help() implements Command {}

  /// Lists the sales.
  ///
  /// @param from number of sales on earlier pages
  record Sales(int from) implements Command {}

  record Places() implements Command {}

  /// Shows the link into a sale.
  record JoinSale(ProductId product) implements Command {}

  /// Explains how to claim.
  record HowToClaim() implements Command {}

  /// Claims with an order number.
  ///
  /// @param product the product; null when not yet chosen
  /// @param from number of products on earlier pages
  record Claim(String text, @Nullable String product, int from) implements Command {}

  record ChooseLanguage() implements Command {}

  record SetLanguage(Language language) implements Command {}

  record HowToAskWeather() implements Command {}

  record WeatherAt(double latitude, double longitude) implements Command {}

  record WeatherIn(String place) implements Command {}

  /// Not addressed to the bot, or unknown.
  record Unknown() implements Command {}

  /// Whether the answer needs a slow call.
  default boolean takesTime() {
    return switch (this) {
      case Claim _, WeatherAt _, WeatherIn _ -> true;
      case Help _,
          Sales _,
          Places _,
          JoinSale _,
          HowToClaim _,
          ChooseLanguage _,
          SetLanguage _,
          HowToAskWeather _,
          Unknown _ ->
          false;
    };
  }

  default boolean isWeather() {
    return this instanceof WeatherAt || this instanceof WeatherIn;
  }
}
