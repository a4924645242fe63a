# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
#
# Shortens the compilation of this folder's generated interfaces. Include it before rosidl_generate_interfaces.

# ROS 2 from wheels has no rclcpp: nothing there can use the C++ interfaces. They are generated where the ROS installation
# has rclcpp. Without them this package takes 88 s of processor time in place of 153 s (means of two builds in turns).
find_package(rclcpp QUIET)
if(NOT rclcpp_FOUND)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^rosidl_[a-z_]*_cpp:")
endif()

# Generated code copies fields: at -O1 it is as fast, and compiles in two thirds of the time.
foreach(language C CXX)
  string(REGEX REPLACE "-O[23]" "-O1" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

# Most of the time would go into the same headers, read again for every type: they are read once for many types. Where
# types define functions of the same name (introspection_cpp), the headers are compiled beforehand instead.
function(read_headers_once)
  foreach(kind generator_py typesupport_c typesupport_cpp typesupport_fastrtps_c typesupport_fastrtps_cpp
               typesupport_introspection_c)
    if(TARGET ${PROJECT_NAME}__rosidl_${kind})
      set_target_properties(${PROJECT_NAME}__rosidl_${kind} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 25)
    endif()
  endforeach()
  if(TARGET ${PROJECT_NAME}__rosidl_generator_c)
    # Descriptions define static variables of the same name for the types that they refer to.
    get_target_property(sources ${PROJECT_NAME}__rosidl_generator_c SOURCES)
    list(FILTER sources INCLUDE REGEX "__description\\.c$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${PROJECT_NAME}__rosidl_generator_c PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 25)
  endif()
  if(TARGET ${PROJECT_NAME}__rosidl_typesupport_introspection_cpp)
    target_precompile_headers(${PROJECT_NAME}__rosidl_typesupport_introspection_cpp PRIVATE
      <algorithm> <array> <functional> <memory> <string> <vector>
      <rosidl_typesupport_cpp/service_type_support.hpp>
      <rosidl_typesupport_introspection_cpp/field_types.hpp>
      <rosidl_typesupport_introspection_cpp/service_introspection.hpp>)
  endif()
endfunction()
# Once the targets are there.
cmake_language(DEFER CALL read_headers_once)
