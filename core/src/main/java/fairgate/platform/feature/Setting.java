package fairgate.platform.feature;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Declares a setting: the component of a record that holds its value. The component's type
/// determines the accepted values, see `app.config.ConfigKind`.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /// Path in the file, such as `server.port`.
  String name();

  /// Default value; empty for none.
  String fallback() default "";

  /// One sentence for the reference page.
  String doc();

  /// Environment variables besides `FAIRGATE_` and the path.
  String[] aliases() default {};

  /// Smallest accepted number.
  int min() default 0;

  /// Largest accepted number.
  int max() default Integer.MAX_VALUE;

  /// Accepted words; empty accepts any text.
  String[] words() default {};

  /// The word that `serve` warns of, and after it the reason; empty for none.
  String warning() default "";

  /// Accepted schemes, for URLs only.
  String[] schemes() default {};

  /// Description of a text's format for the reference page.
  String values() default "text";
}
