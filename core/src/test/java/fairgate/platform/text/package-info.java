/// Tests of the package of the same name.
@NullMarked
package fairgate.platform.text;

import org.jspecify.annotations.NullMarked;
